import FerryStore

/// The sessions that exist, and the calls that open one.
struct Sessions: Hashable, Sendable {
    typealias Session = DaemonStateMachine.Session
    /// A call that opens a session.
    struct Opening: Hashable, Sendable {
        /// The application's name.
        var application: String
        /// The session's name.
        var session: String
        /// The number of bytes by which its application's sessions grow.
        var growth: Int
        /// The change to the store.
        var mutation: Mutation
    }

    private var sessions: [SessionID: Session] = [:]
    /// The calls that open a session, until the store has it.
    private(set) var openings: [CallID: Opening] = [:]
    /// The applications that may have to be started for other sessions than before.
    private var changedApplications: [ApplicationID] = []
    /// The names of those that no longer open a session.
    private var openedApplications: [String] = []

    // MARK: Sessions

    /// Whether there is no session.
    var isEmpty: Bool { sessions.isEmpty }

    /// The number of sessions.
    var count: Int { sessions.count }

    /// The sessions' numbers.
    var ids: Dictionary<SessionID, Session>.Keys { sessions.keys }

    /// The sessions, in no order.
    var values: Dictionary<SessionID, Session>.Values { sessions.values }

    /// A session, if it exists.
    subscript(id: SessionID) -> Session? { sessions[id] }

    /// A session of an application, if it exists.
    subscript(identifier: String, ofApplication application: ApplicationID?) -> Session? {
        sessions.values.first {
            $0.identifier == identifier && $0.applicationID == application
        }
    }

    /// Returns the numbers of the sessions that meet a condition, in order.
    func ids(where isMeant: (Session) -> Bool) -> [SessionID] {
        sessions.values.filter(isMeant).map(\.id).sorted()
    }

    /// A session is in the store.
    ///
    /// - Parameter record: The session as the store has it.
    /// - Returns: The session, as it was if it is known.
    @discardableResult
    mutating func add(_ record: SessionRecord) -> Session {
        if let known = sessions[record.id] { return known }
        let session = Session(record)
        sessions[record.id] = session
        changedApplications.append(session.applicationID)
        return session
    }

    /// Changes a session, if it exists.
    ///
    /// - Parameters:
    ///   - id: The session's number.
    ///   - change: What happens to it.
    /// - Returns: What that returns; `nil` if there is no such session.
    @discardableResult
    mutating func update<Result>(_ id: SessionID, _ change: (inout Session) -> Result) -> Result? {
        let before = sessions[id]?.launchNeed
        defer {
            if let session = sessions[id], session.launchNeed != before {
                changedApplications.append(session.applicationID)
            }
        }
        return sessions.update(id, change)
    }

    /// A session is gone from the store.
    ///
    /// - Parameter id: The session's number.
    /// - Returns: The session, if it was known.
    mutating func remove(_ id: SessionID) -> Session? {
        guard let session = sessions.removeValue(forKey: id) else { return nil }
        changedApplications.append(session.applicationID)
        return session
    }

    /// Returns the applications that may have to be started for other sessions, since this was last called.
    mutating func takeApplications() -> [ApplicationID] {
        defer { changedApplications = [] }
        return changedApplications
    }

    // MARK: Opening

    /// A call opens a session.
    mutating func begin(_ opening: Opening, for call: CallID) { openings[call] = opening }

    /// A session is open, or could not be opened.
    ///
    /// - Parameter call: The call that opens it.
    /// - Returns: What the call has asked for.
    @discardableResult
    mutating func endOpening(_ call: CallID) -> Opening? {
        guard let opening = openings.removeValue(forKey: call) else { return nil }
        openedApplications.append(opening.application)
        return opening
    }

    /// Returns the names of the applications that no longer open a session, since this was last called.
    mutating func takeOpened() -> [String] {
        defer { openedApplications = [] }
        return openedApplications
    }

    /// Whether a client is opening a session, or any session, of an application.
    func isOpening(_ session: String?, of application: String) -> Bool {
        openings.values.contains { opening in
            opening.application == application && (session.map { $0 == opening.session } ?? true)
        }
    }
}
