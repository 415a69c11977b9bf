import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import Glibc
import Testing

@testable import FerryStore

/// A process that is killed leaves everything it has acknowledged.
@Suite(.timeLimit(.minutes(1)))
struct CrashTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    /// The task numbers in a file of 8-byte integers.
    private func acknowledged() throws -> [TaskID] {
        let bytes = try temporary.contents(of: "acknowledged")
        return stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { offset in
            TaskID(bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | Int64($1) })
        }
    }

    @Test(arguments: [1, 40, 300], [Durability.synchronized, .relaxed])
    func `acknowledged commits outlive a kill at any moment`(
        killAfter: Int,
        durability: Durability
    ) async throws {
        let path = temporary.path
        let isRelaxed = durability == .relaxed
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, killAfter = killAfter as Int, isRelaxed = isRelaxed as Bool] in
            try await Doomed(path: path, isRelaxed: isRelaxed).run(killAfter: killAfter)
        }
        let acknowledged = try acknowledged()
        #expect(acknowledged.count >= killAfter)
        let store = try Store(directory: temporary.directory)
        let session = try #require(await store.session(id: 1))
        let tasks = try await store.tasks(limit: 10_000)
        let events = try await store.events(session: 1, limit: 10_000)
        #expect(Set(tasks.map(\.id)).isSuperset(of: acknowledged))
        // No request was done by half.
        #expect(events.map(\.taskID).sorted() == tasks.map(\.id))
        #expect(session.counts == SessionCounts(completedTasks: tasks.count))
        #expect(store.nextTaskID == (tasks.last?.id ?? 0) + 1)
    }

    @Test func `a kill in the middle of a transaction leaves none of it`() async throws {
        let path = temporary.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try Store(directory: Directory(opening: path))
            let session = try await store.openedSession()
            try await store.commit([.insertTask(.waiting(1, session: session.id))])
            try await store.read { database throws(StoreError) in
                // A small cache, so that pages are in the log before the commit.
                try database.connection.execute("PRAGMA cache_size = 4")
                try database.begin()
                var receipt = Receipt()
                for id in TaskID(2)...2000 {
                    let task = TaskRecord.waiting(id, session: session.id)
                    try database.perform(.insertTask(task), &receipt)
                }
                kill(getpid(), SIGKILL)
            }
        }
        #expect(try temporary.contents(of: "ferry.sqlite-wal").count > 100 * 4096)
        let store = try Store(directory: temporary.directory)
        #expect(try await store.tasks(limit: 10).map(\.id) == [1])
        #expect(try await store.totals() == SessionCounts(waitingTasks: 1))
    }

    @Test func `a power cut leaves a prefix of the commits, none of them by half`() async throws {
        let store = try Store(directory: temporary.directory)
        let session = try await store.openedSession()
        for id in TaskID(1)...12 {
            try await store.commit([
                .insertTask(.waiting(id, session: session.id)),
                .completeTask(.id(id), NewEnd(event: [1])),
            ])
        }
        let database = try temporary.contents(of: "ferry.sqlite")
        let log = try temporary.contents(of: "ferry.sqlite-wal")
        var survivors: [Int] = []
        // Odd lengths, so that frames are torn, too.
        for length in stride(from: log.count, to: 0, by: -3001) {
            let after = try TemporaryDirectory()
            try after.write(database, to: "ferry.sqlite")
            try after.write(Array(log.prefix(length)), to: "ferry.sqlite-wal")
            let reopened = try Store(directory: after.directory)
            let tasks = try await reopened.tasks(limit: 100)
            #expect(tasks.map(\.id) == (0..<tasks.count).map { TaskID($0 + 1) })
            #expect(tasks.allSatisfy { $0.state == .completed })
            let events = try await reopened.events(session: 1, limit: 100)
            #expect(events.map(\.taskID) == tasks.map(\.id))
            survivors.append(tasks.count)
        }
        #expect(survivors.first == 12)
        #expect(survivors.last == 0)
        #expect(survivors == survivors.sorted(by: >))
    }
}

/// Commits without end and kills its process in the midst of it.
private struct Doomed {
    var path: String
    var isRelaxed: Bool

    func run(killAfter: Int) async throws {
        let directory = try Directory(opening: path)
        let record = try directory.open("acknowledged", .append).release()
        let store = try Store(directory: directory)
        let session = try await store.openedSession()
        let acknowledgements = Recorder<Int64>()
        await withTaskGroup(of: Void.self) { group in
            for worker in Int64(0)..<8 {
                group.addTask {
                    for step in Int64(0)... {
                        let id = 1 + worker + 8 * step
                        guard await acknowledge(TaskID(id), in: store, session.id) else { return }
                        var bytes = id.littleEndian
                        write(record, &bytes, 8)
                        acknowledgements.append(id)
                        if acknowledgements.elements.count >= killAfter {
                            kill(getpid(), SIGKILL)
                        }
                    }
                }
            }
        }
    }

    private func acknowledge(_ id: TaskID, in store: Store, _ session: SessionID) async -> Bool {
        let mutations: [Mutation] = [
            .insertTask(.waiting(id, session: session)),
            .completeTask(.id(id), NewEnd(event: [1, 2, 3])),
        ]
        let durability: Durability = isRelaxed ? .relaxed : .synchronized
        return (try? await store.commit(mutations, durability: durability)) != nil
    }
}

/// SQLite's write-ahead log, by https://sqlite.org/fileformat2.html#walformat.
struct WriteAheadLog {
    /// The number of transactions in it.
    let commitCount: Int

    init(_ temporary: TemporaryDirectory) throws {
        let log = try temporary.contents(of: "ferry.sqlite-wal")
        func integer(at offset: Int) -> Int {
            log[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        guard log.count >= 32 else {
            commitCount = 0
            return
        }
        let pageSize = integer(at: 8)
        let salt = log[16..<24]
        var commits = 0
        var frame = 32
        // Frames of an earlier round of the log have other salts.
        while frame + 24 + pageSize <= log.count, log[frame + 8..<frame + 16].elementsEqual(salt) {
            if integer(at: frame + 4) != 0 { commits += 1 }
            frame += 24 + pageSize
        }
        commitCount = commits
    }
}
