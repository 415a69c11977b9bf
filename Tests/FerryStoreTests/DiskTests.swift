import Dispatch
import FerrySystem
import FerryTestSupport
import FerryWire
import FerryWireTestSupport
import Glibc
import Testing

@testable import FerryStore

@Suite(.timeLimit(.minutes(1)))
struct DiskTests {
    /// A task that needs a lot of room.
    private func large(_ id: TaskID, session: SessionID, byteCount: Int) -> Mutation {
        var task = TaskRecord.waiting(id, session: session)
        task.request = Encoded(
            text: [UInt8](repeating: UInt8(truncatingIfNeeded: id.rawValue), count: byteCount)
        )
        return .insertTask(task)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "only root can mount a small file system"))
    func `a full disk fails the commit, and the next one works when there is room again`()
        async throws
    {
        let disk = try SmallDisk(byteCount: 2 << 20)
        let store = try Store(directory: disk.directory)
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id))])

        try disk.fill()
        let error = try await failure {
            try await store.commit([large(2, session: session.id, byteCount: 1 << 20)])
        }
        #expect(error.code == .diskFull)
        #expect(error.message.contains(disk.path + "/ferry.sqlite"))
        #expect(error.message.contains("Make room"))
        #expect(try await store.tasks(limit: 10).map(\.id) == [1])

        disk.empty()
        try await store.commit([large(3, session: session.id, byteCount: 200_000)])
        await store.close()
        let reopened = try Store(directory: disk.directory)
        #expect(try await reopened.tasks(limit: 10).map(\.id) == [1, 3])
        #expect(try await reopened.totals() == SessionCounts(waitingTasks: 2))
        await reopened.close()
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "only root can mount a small file system"))
    func `REL-11: on a full disk tasks can end, and room is kept back again when there is some`()
        async throws
    {
        let disk = try SmallDisk(byteCount: 8 << 20)
        let store = try Store(directory: disk.directory)
        let session = try await store.openedSession()
        for id in 1...50 as ClosedRange<TaskID> {
            try await store.commit([.insertTask(.waiting(id, session: session.id))])
        }
        try disk.fill()
        // Whatever room SQLite still has is used up by what is no end.
        var count: TaskID = 100
        while count < 2000 {
            count = count.next
            do {
                try await store.commit([large(count, session: session.id, byteCount: 20_000)])
            } catch {
                #expect(error.code == .diskFull)
                break
            }
        }
        #expect(count < 2000)
        for id in 1...50 as ClosedRange<TaskID> {
            try await store.commit([
                .completeTask(.id(id), NewEnd(event: [1]))
            ])
        }
        #expect(try await store.totals().waitingTasks == Int(count.rawValue) - 101)
        let error = try await failure {
            try await store.commit([large(9999, session: session.id, byteCount: 8 << 20)])
        }
        #expect(error.code == .diskFull)
        disk.empty()
        try await store.commit([large(9999, session: session.id, byteCount: 10)])
        #expect(try disk.directory.status(of: "reserve")?.size == 1 << 20)
        await store.close()
    }

    @Test func `REL-11: an end without room has the log start over, as long as room is kept back`()
        async throws
    {
        let temporary = try TemporaryDirectory()
        let directory = temporary.directory
        let store = try Store(directory: directory)
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id))])
        #expect(try directory.status(of: "reserve")?.size == 1 << 20)
        let byteCount = try await store.read { database throws(StoreError) -> Int64 in
            let connection = database.connection
            let pages = try connection.first("PRAGMA page_count") { $0.integer() } ?? 0
            try connection.execute("PRAGMA max_page_count = \(pages + 8)")
            return try pages * (connection.first("PRAGMA page_size") { $0.integer() } ?? 0)
        }
        #expect(try directory.status(of: Store.fileName)?.size != byteCount)
        let end = NewEnd(event: Encoded(text: [UInt8](repeating: 1, count: 1 << 20)))
        let error = try await failure {
            try await store.commit([.completeTask(.id(1), end)])
        }
        #expect(error.code == .diskFull)
        // What was in the log is in the database.
        #expect(try directory.status(of: Store.fileName)?.size == byteCount)
        #expect(try directory.status(of: "reserve") == nil)
    }

    @Test func `REL-11: what begins something as well is no end, for which room is kept back`() {
        func isEnding(_ mutations: Mutation...) -> Bool {
            CommitRequest(mutations: mutations, durability: .relaxed) { _ in }.isEnding
        }
        let end = Mutation.deleteTask(id: 1)
        #expect(isEnding(end))
        #expect(!isEnding(large(2, session: 1, byteCount: 1)))
        #expect(!isEnding(end, large(2, session: 1, byteCount: 1)))
        #expect(!isEnding(.open("session"), end))
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "only root can mount a small file system"))
    func `a database cannot be made on a full disk, and is there when there is room`()
        async throws
    {
        let disk = try SmallDisk(byteCount: 1 << 20)
        try disk.fill()
        let error = try refusal(of: disk.directory)
        #expect(error.code == .diskFull)
        disk.empty()
        let store = try Store(directory: disk.directory)
        _ = try await store.openedSession()
        await store.close()
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "only root can mount a small file system"))
    func `a database on a full disk can be read`() async throws {
        let disk = try SmallDisk(byteCount: 1 << 20)
        let store = try Store(directory: disk.directory)
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id))])
        await store.close()
        try disk.fill()
        let reopened = try Store(directory: disk.directory)
        #expect(try await reopened.nextIDs() == [1])
        await reopened.close()
    }

    /// Commits three tasks together, of which the one in the middle finds no room.
    private func commitTogether(
        _ store: Store,
        _ mutations: [Mutation]
    ) async throws -> [StoreError.Code?] {
        try await store.read { database throws(StoreError) in
            let connection = database.connection
            let pages = try connection.first("PRAGMA page_count") { $0.integer() } ?? 0
            try connection.execute("PRAGMA max_page_count = \(pages + 8)")
        }
        let gate = DispatchSemaphore(value: 0)
        let results = Recorder<StoreError.Code?>()
        store.queue.perform { gate.wait() }
        for mutation in mutations {
            store.submit([mutation]) { result in
                guard case .failure(let error) = result else { return results.append(nil) }
                results.append(error.code)
            }
        }
        gate.signal()
        await store.settle()
        return results.elements
    }

    @Test func `a request that finds no room fails alone`() async throws {
        let temporary = try TemporaryDirectory()
        let store = try Store(directory: temporary.directory)
        let session = try await store.openedSession()
        let results = try await commitTogether(
            store,
            [
                large(1, session: session.id, byteCount: 10),
                large(2, session: session.id, byteCount: 1 << 20),
                large(3, session: session.id, byteCount: 10),
            ]
        )
        #expect(results == [nil, .diskFull, nil])
        #expect(try await store.tasks(limit: 10).map(\.id) == [1, 3])
        #expect(try await store.totals() == SessionCounts(waitingTasks: 2))
        try await store.commit([large(4, session: session.id, byteCount: 10)])
        #expect(try await store.tasks(limit: 10).map(\.id) == [1, 3, 4])
    }

    @Test func `a file system that forbids writing says so`() throws {
        let path = "/proc/self"
        let error = try refusal(of: Directory(opening: path))
        #expect(error.code == .cannotOpen)
        #expect(error.message.contains("/proc/self/ferry.sqlite"))
    }
}
