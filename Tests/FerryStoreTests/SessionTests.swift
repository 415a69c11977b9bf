import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SessionTests {
    private let temporary: TemporaryDirectory
    private let store: Store

    init() throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
    }

    @Test func `opening a session creates it and its application`() async throws {
        let receipt = try await store.commit([
            .openSession(
                application: "org.example.app",
                launch: sampleLaunch,
                identifier: "downloads",
                configuration: [1, 2, 3]
            )
        ])
        let opened = try #require(receipt.openedSessions.first)
        #expect(opened.isNew)
        #expect(opened.application.identifier == "org.example.app")
        #expect(opened.application.launch == sampleLaunch)
        #expect(!opened.application.quit)
        #expect(opened.session.applicationID == opened.application.id)
        #expect(opened.session.configuration == [1, 2, 3])
        #expect(opened.session.nextTaskIdentifier == 1)
        #expect(opened.session.nextSequence == 1)
        #expect(opened.session.counts == SessionCounts())
        #expect(try await store.applications() == [opened.application])
        #expect(try await store.application(id: opened.application.id) == opened.application)
        #expect(try await store.session(id: opened.session.id) == opened.session)
        let found = try await store.session(
            application: opened.application.id,
            identifier: "downloads"
        )
        #expect(found == opened.session)
    }

    @Test
    func `BG-26: opening a session again finds it and takes the new configuration`() async throws {
        let first = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(7, session: first.id))])
        let receipt = try await store.commit([
            .openSession(
                application: "app",
                launch: sampleLaunch,
                identifier: "session",
                configuration: [9]
            )
        ])
        let opened = try #require(receipt.openedSessions.first)
        #expect(!opened.isNew)
        #expect(opened.session.id == first.id)
        #expect(opened.session.configuration == [9])
        #expect(opened.session.nextTaskIdentifier == 8)
        #expect(opened.session.counts.waitingTasks == 1)
        #expect(opened.application.launch == sampleLaunch)
    }

    @Test
    func `BG-8: applications have sessions of equal identifiers apart from each other`()
        async throws
    {
        let first = try await store.openedSession("same", of: "a")
        let second = try await store.openedSession("same", of: "b")
        #expect(first.id != second.id)
        #expect(first.applicationID != second.applicationID)
        #expect(try await store.sessions(application: first.applicationID) == [first])
    }

    @Test func `an application's sessions come by number`() async throws {
        let names = ["c", "a", "b"]
        var sessions: [SessionRecord] = []
        for name in names { sessions.append(try await store.openedSession(name)) }
        let application = sessions[0].applicationID
        #expect(try await store.sessions(application: application) == sessions)
    }

    @Test func `what is not there is nil`() async throws {
        #expect(try await store.application(id: 1) == nil)
        #expect(try await store.session(id: 1) == nil)
        #expect(try await store.session(application: 1, identifier: "x") == nil)
        #expect(try await store.sessions(application: 1) == [])
        #expect(try await store.totals() == SessionCounts())
    }

    @Test func `BG-38: launch, backoff and force quit are kept per application`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .setLaunch(application: session.applicationID, sampleLaunch),
            .setLaunchState(
                application: session.applicationID,
                attempts: 3,
                nextLaunchAt: moment(60)
            ),
            .setQuit(application: session.applicationID, true),
        ])
        let record = try #require(await store.application(id: session.applicationID))
        #expect(record.launch == sampleLaunch)
        #expect(record.launchAttempts == 3)
        #expect(record.nextLaunchAt == moment(60))
        #expect(record.quit)
        try await store.commit([
            .setLaunch(application: session.applicationID, nil),
            .setLaunchState(
                application: session.applicationID,
                attempts: 0,
                nextLaunchAt: nil
            ),
            .setQuit(application: session.applicationID, false),
        ])
        let reset = try #require(await store.application(id: session.applicationID))
        #expect(reset == ApplicationRecord(id: session.applicationID, identifier: "app"))
    }

    @Test func `a configuration is replaced`() async throws {
        let session = try await store.openedSession()
        try await store.commit([.setConfiguration(session: session.id, [4, 5])])
        #expect(try await store.session(id: session.id)?.configuration == [4, 5])
    }

    @Test func `a deleted session takes its tasks and events with it`() async throws {
        let session = try await store.openedSession("one")
        let other = try await store.openedSession("two")
        try await store.commit(
            (1...600).map { .insertTask(.waiting($0, session: session.id)) } + [
                .insertTask(.waiting(601, session: other.id)),
                .completeTask(.id(5), NewEnd(event: [])),
            ]
        )
        try await store.commit([.deleteSession(id: session.id)])
        #expect(try await store.session(id: session.id) == nil)
        #expect(try await store.events(session: session.id, limit: 10) == [])
        #expect(try await store.tasks(limit: 1000).map(\.id) == [601])
        #expect(try await store.nextIDs() == [601])
        #expect(try await store.totals() == SessionCounts(waitingTasks: 1))
        try await store.commit([.deleteSession(id: session.id)])
    }

    @Test func `a deleted application takes its sessions with it`() async throws {
        let session = try await store.openedSession("one")
        _ = try await store.openedSession("two")
        let other = try await store.openedSession("one", of: "other")
        try await store.commit([.insertTask(.waiting(1, session: session.id))])
        try await store.commit([.deleteApplication(id: session.applicationID)])
        #expect(try await store.applications().map(\.identifier) == ["other"])
        #expect(try await store.sessions(application: session.applicationID) == [])
        #expect(try await store.sessions(application: other.applicationID) == [other])
        #expect(try await store.task(id: 1) == nil)
        #expect(try await store.nextIDs() == [])
    }

    @Test func `numbers of deleted applications and sessions are not used again`() async throws {
        let first = try await store.openedSession()
        try await store.commit([.deleteApplication(id: first.applicationID)])
        let second = try await store.openedSession()
        #expect(second.id > first.id)
        #expect(second.applicationID > first.applicationID)
    }

    @Test(arguments: [
        Mutation.setLaunch(application: 99, nil),
        .setLaunchState(application: 99, attempts: 1, nextLaunchAt: nil),
        .setQuit(application: 99, true),
        .setConfiguration(session: 99, []),
    ])
    func `a change to what is not there is an error`(mutation: Mutation) async throws {
        let error = try await failure { try await store.commit([mutation]) }
        #expect(error.code == .notFound)
        #expect(error.message.contains("99"))
    }

    @Test func `BG-30: a session tells when all its tasks have ended, and what remains to tell`()
        async throws
    {
        let id = try await store.openedSession("one").id
        let idle = try await store.openedSession("idle").id
        try await store.commit([
            .insertTask(.waiting(1, session: id)),
            .insertTask(.waiting(2, session: id)),
            .insertTask(.waiting(3, session: idle)),
            .completeTask(.id(1), NewEnd(event: [])),
        ])
        let waiting = SessionCounts(waitingTasks: 1, completedTasks: 1)
        #expect(try await store.session(id: id)?.counts == waiting)
        try await store.commit([.suspendTask(.id(2), at: moment(0))])
        #expect(try await store.session(id: id)?.counts.unfinishedTasks == 1)
        try await store.commit([
            .completeTask(.id(2), NewEnd(event: []))
        ])
        let ended = try #require(await store.session(id: id)?.counts)
        #expect(ended == SessionCounts(completedTasks: 2))
        #expect(ended.unfinishedTasks == 0)
        try await store.commit([
            .acknowledge(session: id, sequence: 1), .acknowledge(session: id, sequence: 2),
        ])
        #expect(try await store.session(id: id)?.counts.completedTasks == 0)
        #expect(try await store.session(id: idle)?.counts == SessionCounts(waitingTasks: 1))
    }
}
