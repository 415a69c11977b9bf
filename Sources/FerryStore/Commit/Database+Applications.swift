import FerrySystem
import FerryWire
import FoundationEssentials

extension Database {
    private static let openApplication = Statement(
        """
        INSERT INTO applications (identifier, launch) VALUES (?, ?)
        ON CONFLICT (identifier) DO UPDATE SET launch = excluded.launch
        """
    )
    private static let openSession = Statement(
        """
        INSERT INTO sessions (application_id, identifier, configuration, avoids)
        VALUES (?, ?, ?, ?)
        ON CONFLICT (application_id, identifier)
        DO UPDATE SET configuration = excluded.configuration, avoids = excluded.avoids
        """
    )
    private static let setLaunch = Statement("UPDATE applications SET launch = ? WHERE id = ?")
    private static let setLaunchState = Statement(
        "UPDATE applications SET launch_attempts = ?, next_launch_at = ? WHERE id = ?"
    )
    private static let setQuit = Statement("UPDATE applications SET quit = ? WHERE id = ?")
    private static let setConfiguration = Statement(
        "UPDATE sessions SET configuration = ? WHERE id = ?"
    )
    private static let deleteApplication = Statement("DELETE FROM applications WHERE id = ?")
    private static let deleteIdentifiers = Statement(
        "DELETE FROM unused_identifiers WHERE session_id = ?"
    )
    private static let deleteSession = Statement("DELETE FROM sessions WHERE id = ?")

    /// Creates or updates an application and its session.
    func openSession(
        _ application: String,
        _ launch: Wire.Launch?,
        _ identifier: String,
        _ configuration: Encoded<Wire.SessionConfiguration>,
        avoids: Conditions
    ) throws(StoreError) -> Receipt.OpenedSession {
        // The session's numbers are read below.
        try writeCounters()
        try connection.run(Self.openApplication, application, try encode(launch))
        guard let owner = try self.application(identifier: application) else {
            throw .missing("application “\(application)”")
        }
        let isNew = try session(application: owner.id, identifier: identifier) == nil
        try connection.run(Self.openSession, owner.id, identifier, configuration, avoids)
        if isNew { try addCounters(ofSession: SessionID(connection.lastInsertedRow)) }
        guard let session = try session(application: owner.id, identifier: identifier) else {
            throw .missing("session “\(identifier)”")
        }
        return Receipt.OpenedSession(application: owner, session: session, isNew: isNew)
    }

    /// Replaces how an application is started again.
    func setLaunch(_ launch: Wire.Launch?, of application: ApplicationID) throws(StoreError) {
        try expectApplication(
            application,
            try connection.run(Self.setLaunch, try encode(launch), application)
        )
    }

    /// Records the outcome of starting an application again.
    func setLaunchState(
        _ attempts: Int,
        _ nextLaunchAt: Date?,
        of application: ApplicationID
    ) throws(StoreError) {
        try expectApplication(
            application,
            try connection.run(Self.setLaunchState, attempts, nextLaunchAt, application)
        )
    }

    /// Records whether an application was quit by force.
    func setQuit(_ quit: Bool, of application: ApplicationID) throws(StoreError) {
        try expectApplication(
            application,
            try connection.run(Self.setQuit, quit, application)
        )
    }

    /// Replaces a session's configuration.
    func setConfiguration(
        _ configuration: Encoded<Wire.SessionConfiguration>,
        of session: SessionID
    ) throws(StoreError) {
        let changed = try connection.run(Self.setConfiguration, configuration, session)
        guard changed == 1 else { throw .missing("session \(session)") }
    }

    /// Deletes an application with everything that belongs to it.
    func deleteApplication(_ id: ApplicationID) throws(StoreError) {
        for session in try sessions(application: id) { try deleteSession(session.id) }
        try connection.run(Self.deleteApplication, id)
    }

    /// Deletes a session with everything that belongs to it.
    func deleteSession(_ id: SessionID) throws(StoreError) {
        while true {
            let tasks = try standings(ofSession: id)
            guard !tasks.isEmpty else { break }
            for task in tasks { try delete(task) }
        }
        try deleteCounters(ofSession: id)
        try connection.run(Self.deleteIdentifiers, id)
        try connection.run(Self.deleteSession, id)
    }

    private func expectApplication(_ id: ApplicationID, _ changed: Int) throws(StoreError) {
        guard changed == 1 else { throw .missing("application \(id)") }
    }

    private func encode(_ launch: Wire.Launch?) throws(StoreError) -> String? {
        guard let launch else { return nil }
        do {
            return String(decoding: try MessageCoding.encode(launch), as: UTF8.self)
        } catch {
            throw connection.failure(.internalFailure, because: "\(error)")
        }
    }
}
