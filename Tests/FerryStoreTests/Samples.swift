import FerrySystem
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryStore

/// A moment, in seconds after a fixed one.
func moment(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_800_000_000 + seconds) }

/// How the sample application is started.
let sampleLaunch = Wire.Launch(
    executable: "/usr/bin/half-tunes",
    arguments: ["--events", ""],
    directory: "/home/jo",
    environment: ["LANG": "de_DE.UTF-8", "EMPTY": ""]
)

extension Mutation {
    /// Opens a session of an application that is never started again.
    static func open(_ identifier: String, of application: String = "app") -> Mutation {
        .openSession(
            application: application,
            launch: nil,
            identifier: identifier,
            configuration: []
        )
    }
}

extension TaskRecord {
    /// A waiting task with only what it must have.
    static func waiting(
        _ id: TaskID,
        session: SessionID,
        host: String = "example.org",
        priority: Double = 0.5,
        notBefore: Date? = nil
    ) -> TaskRecord {
        TaskRecord(
            id: id,
            sessionID: session,
            identifier: Int(id.rawValue),
            state: .waiting,
            host: host,
            priority: priority,
            request: Encoded(text: Array("GET /\(id)".utf8)),
            notBefore: notBefore,
            createdAt: moment(0)
        )
    }
}

extension Store {
    /// Opens a session and returns its number.
    func openedSession(
        _ identifier: String = "session",
        of application: String = "app"
    ) async throws -> SessionRecord {
        let receipt = try await commit([.open(identifier, of: application)])
        return try #require(receipt.openedSessions.first).session
    }

    /// Waits until everything that was submitted is done and answered.
    func settle() async {
        await queue.run {}
        // The answers have a turn of the loop of their own, which may come after the end of that work.
        await Self.takeTurn()
    }

    @LoopActor private static func takeTurn() {}

    /// When the next task is due that waits for a moment.
    func nextMoment(at now: Date = moment(0)) async throws -> Date? {
        let search = CandidateSearch(now: now, limit: 1, limitPerHost: 1)
        return try await candidates(search).earliestNotBefore
    }

    /// The numbers of a host's next tasks.
    func nextIDs(
        host: String = "example.org",
        at now: Date = moment(0),
        excludingSessions sessions: Set<SessionID> = [],
        excludingTasks tasks: Set<TaskID> = [],
        limit: Int = 100
    ) async throws -> [TaskID] {
        let search = CandidateSearch(
            now: now,
            limit: 1000,
            limitPerHost: limit,
            saturatedSessions: [host: sessions],
            runningTasks: tasks
        )
        return try await candidates(search).tasks.filter { $0.host == host }.map(\.id)
    }
}

/// The failure of an operation that must fail.
func failure(_ operation: () async throws -> Void) async throws -> StoreError {
    let error = await #expect(throws: StoreError.self) { try await operation() }
    return try #require(error)
}

/// The failure of opening a store that must not open.
func refusal(of directory: Directory) throws -> StoreError {
    let error = #expect(throws: StoreError.self) { _ = try Store(directory: directory) }
    return try #require(error)
}

extension TaskID: Strideable {
    /// Creates it from the plain number.
    init(_ number: Int) { self.init(Int64(number)) }

    func distance(to other: TaskID) -> Int { Int(other.rawValue - rawValue) }

    func advanced(by distance: Int) -> TaskID { TaskID(rawValue + Int64(distance)) }

    static func + (id: TaskID, distance: Int) -> TaskID { id.advanced(by: distance) }
}
