import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Glibc
import Testing

@testable import FerryDaemon

/// What those who watch tasks are told.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct TaskWatcherTests {
    private let bench: DaemonBench

    init() async throws { bench = try await DaemonBench() }

    /// Puts a task into the queue whose request has a body of a size.
    private func storeTask(_ id: TaskID, bodyByteCount: Int = 0) async throws {
        var request = Wire.Request.sample()
        request.body = Data(repeating: 7, count: bodyByteCount)
        let task = TaskRecord(
            id: id,
            sessionID: 1,
            identifier: Int(id.rawValue),
            host: "a:80",
            request: Encoded(request),
            createdAt: Date()
        )
        try await bench.store.commit([.insertTask(task)])
    }

    @Test func `tasks that fit in no page are told in further ones, and those that are gone once`()
        async throws
    {
        for id: TaskID in [1, 3, 5] { try await storeTask(id, bodyByteCount: 3 << 20) }
        let daemon = try await bench.start()
        var left: ArraySlice<TaskID> = [1, 2, 3, 4, 5, 6]
        var pages: [Wire.WatchTasks.Reply] = []
        while !left.isEmpty {
            let page = try await daemon.takeSnapshot(of: &left)
            pages.append(page)
        }
        #expect(pages.map { $0.tasks.map(\.id) } == [[1], [3], [5], []])
        #expect(pages.map(\.removed) == [[], [2], [4], [6]])
        await bench.end()
    }

    @Test func `a client that does not read for a while is told of the last changes when it does`()
        async throws
    {
        // One page, and more than the kernel holds for a client.
        try await storeTask(1, bodyByteCount: 2 << 20)
        try await storeTask(2)
        let daemon = try await bench.start()
        let information = ServiceInformation(vendor: "", product: "", version: "", url: "")
        let server = VarlinkServer(information: information, handler: daemon)
        let (client, socket) = try UnixSocket.pair().split { theirs, ours in
            server.accept(theirs)
            let socket = ours.rawValue
            return (VarlinkClient(ours), socket)
        }
        let (replies, told) = AsyncStream<Wire.WatchTasks.Reply>.makeStream()
        client.setReading(false)
        client.stream(Wire.WatchTasks()) { reply in
            if case .next(let reply) = reply { told.yield(reply) } else { told.finish() }
        }
        try await bench.work {
            var byte: UInt8 = 0
            return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 1
        }
        daemon.changed(task: 2)
        daemon.removed(task: 7)
        client.setReading(true)
        var iterator = replies.makeAsyncIterator()
        #expect(await iterator.next()?.tasks.map(\.id) == [1, 2])
        let last = await iterator.next()
        #expect(last?.tasks.map(\.id) == [2])
        #expect(last?.removed == [7])
        client.close()
        withExtendedLifetime(server) {}
        await bench.end()
    }
}
