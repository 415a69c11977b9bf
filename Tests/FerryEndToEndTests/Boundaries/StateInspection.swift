import CSQLite
import FerryTestSupport
import Foundation

/// What ferryd has left of a queue in its directory.
struct StateInspection {
    /// What there is, and should not be when everything is delivered.
    let findings: [String]

    /// Looks at a home whose ferryd has ended.
    init(of home: TestHome) {
        var findings: [String] = []
        let manager = FileManager.default
        for name in ["downloads", "resumable", "uploads"] {
            let files = (try? manager.contentsOfDirectory(atPath: "\(home.state)/\(name)")) ?? []
            findings += files.sorted().map { "there is \(name)/\($0)" }
        }
        let known: Set = [
            "reserve",
            "downloads", "resumable", "uploads", "log", "run", "ferryd.lock", "ferry.sqlite",
            "ferry.sqlite.lock",
        ]
        let others = (try? manager.contentsOfDirectory(atPath: home.state)) ?? []
        findings += others.filter { !known.contains($0) }.sorted().map { "there is \($0)" }
        self.findings = findings + Self.findings(inDatabaseOf: home)
    }

    private static func findings(inDatabaseOf home: TestHome) -> [String] {
        guard let database = try? Database(of: home) else {
            return ["the database cannot be opened"]
        }
        let wanted = [
            ("PRAGMA integrity_check", "ok"),
            ("SELECT count(*) FROM tasks", "0"),
            ("SELECT count(*) FROM task_details", "0"),
            ("SELECT count(*) FROM host_queues", "0"),
            ("SELECT count(*) FROM sessions WHERE identifier <> 'test'", "0"),
            (
                "SELECT count(*) FROM session_counters WHERE completed_count <> 0 OR waiting_count <> 0",
                "0"
            ),
        ]
        return wanted.compactMap { query, value in
            let found = database.execute(query)
            return found == value ? nil : "\(query) is \(found ?? "an error"), not \(value)"
        }
    }
}

extension StateInspection {
    /// ferryd's database, opened by another program.
    final class Database {
        private let connection: OpaquePointer

        /// Opens it.
        init(of home: TestHome) throws {
            var connection: OpaquePointer?
            let path = home.state + "/ferry.sqlite"
            let code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil)
            guard let connection, code == SQLITE_OK else {
                sqlite3_close(connection)
                throw CocoaError(.fileReadUnknown)
            }
            self.connection = connection
        }

        deinit { sqlite3_close(connection) }

        /// Runs a statement, and returns the first column of its first row.
        @discardableResult
        func execute(_ text: String) -> String? {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            guard sqlite3_prepare_v2(connection, text, -1, &statement, nil) == SQLITE_OK,
                sqlite3_step(statement) == SQLITE_ROW,
                let bytes = sqlite3_column_text(statement, 0)
            else { return nil }
            return String(cString: bytes)
        }
    }
}
