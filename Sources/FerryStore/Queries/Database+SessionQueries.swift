import FerryWire
import FoundationEssentials

extension Database {
    private static let applicationColumns =
        "id, identifier, launch, launch_attempts, next_launch_at, quit"
    private static let sessionColumns = """
        sessions.id, application_id, identifier, configuration, next_task_identifier, next_sequence,
        suspended_count, waiting_count, completed_count
        """
    private static let sessionTables =
        "sessions JOIN session_counters ON session_counters.session_id = sessions.id"

    private static let allApplications = Statement(
        "SELECT \(applicationColumns) FROM applications ORDER BY id"
    )
    private static let findApplication = Statement(
        "SELECT \(applicationColumns) FROM applications WHERE id = ?"
    )
    private static let findApplicationByName = Statement(
        "SELECT \(applicationColumns) FROM applications WHERE identifier = ?"
    )
    private static let sessionsOfApplication = Statement(
        "SELECT \(sessionColumns) FROM \(sessionTables) WHERE application_id = ?"
    )
    private static let findSession = Statement(
        "SELECT \(sessionColumns) FROM \(sessionTables) WHERE sessions.id = ?"
    )
    private static let findSessionByName = Statement(
        """
        SELECT \(sessionColumns) FROM \(sessionTables)
        WHERE application_id = ? AND identifier = ?
        """
    )
    private static let countAll = Statement(
        """
        SELECT total(suspended_count), total(waiting_count), total(completed_count)
        FROM session_counters
        """
    )

    /// Returns all applications, by number.
    func applications() throws(StoreError) -> [ApplicationRecord] {
        try connection.rows(Self.allApplications, reading: application)
    }

    /// Returns the application with a number, or `nil`.
    func application(id: ApplicationID) throws(StoreError) -> ApplicationRecord? {
        try connection.first(Self.findApplication, id, reading: application)
    }

    /// Returns the application with a name, or `nil`.
    func application(identifier: String) throws(StoreError) -> ApplicationRecord? {
        try connection.first(Self.findApplicationByName, identifier, reading: application)
    }

    /// Returns an application's sessions, by number.
    func sessions(application: ApplicationID) throws(StoreError) -> [SessionRecord] {
        let sessions = try connection.rows(
            Self.sessionsOfApplication,
            application,
            reading: session
        )
        // The index orders them by name.
        return sessions.sorted { $0.id < $1.id }
    }

    /// Returns the session with a number, or `nil`.
    func session(id: SessionID) throws(StoreError) -> SessionRecord? {
        try connection.first(Self.findSession, id, reading: session)
    }

    /// Returns an application's session with a name, or `nil`.
    func session(
        application: ApplicationID,
        identifier: String
    ) throws(StoreError) -> SessionRecord? {
        try connection.first(Self.findSessionByName, application, identifier, reading: session)
    }

    /// Returns the counts of all sessions together.
    func totals() throws(StoreError) -> SessionCounts {
        try connection.first(Self.countAll, reading: counts) ?? SessionCounts()
    }

    private func application(_ row: inout Row) throws(StoreError) -> ApplicationRecord {
        ApplicationRecord(
            id: row.id(),
            identifier: row.text(),
            launch: try decodeLaunch(row.optionalText()),
            launchAttempts: row.count(),
            nextLaunchAt: row.optionalDate(),
            quit: row.integer() != 0
        )
    }

    private func session(_ row: inout Row) -> SessionRecord {
        SessionRecord(
            id: row.id(),
            applicationID: row.id(),
            identifier: row.text(),
            configuration: row.encoded(),
            nextTaskIdentifier: Int(row.integer()),
            nextSequence: row.integer(),
            counts: counts(&row)
        )
    }

    private func counts(_ row: inout Row) -> SessionCounts {
        SessionCounts(
            suspendedTasks: row.count(),
            waitingTasks: row.count(),
            completedTasks: row.count()
        )
    }

    private func decodeLaunch(_ text: String?) throws(StoreError) -> Wire.Launch? {
        guard let text else { return nil }
        do {
            return try MessageCoding.decode(from: Array(text.utf8))
        } catch {
            throw connection.failure(
                .corrupt,
                because: "how an application is started cannot be read: \(error)"
            )
        }
    }
}
