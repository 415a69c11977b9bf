extension Database {
    /// Something that holds for all tasks, in the daemon's own encoding; `nil` where it was never set.
    func value(of setting: Setting) throws(StoreError) -> [UInt8]? {
        try connection.first("SELECT value FROM settings WHERE name = ?", setting.rawValue) {
            $0.bytes()
        }
    }

    /// Replaces something that holds for all tasks.
    func set(_ setting: Setting, _ value: [UInt8]) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO settings (name, value) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET value = excluded.value
            """,
            setting.rawValue,
            value
        )
    }
}
