import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryWire

/// Each of these clients does what no client should; another one must not notice.
@Suite(.timeLimit(.minutes(1))) struct HostileClientTests {
    /// That a well-behaved client is served.
    private func expectService(_ daemon: TestDaemon) throws {
        let client = try daemon.connect()
        try client.call("GetTask", #"{"id":7}"#)
        #expect(try client.receive()?["parameters"]?["task"]?["id"] == .int(7))
    }

    @Test(arguments: [
        "", "rubbish", "GET / HTTP/1.1\r\n\r\n", "null", "[]", "7", "{}", #"{"method":7}"#,
        #"{"method":"io.ferry.Transfer.GetStatus""#, #"{"method":"a.b"}{"#, "\u{feff}{}",
        #"{"method":"io.ferry.Transfer.GetStatus","more":"yes"}"#,
    ])
    func `rubbish ends its own connection`(text: String) async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try client.send(text)
        #expect(try client.receive() == nil)
        await daemon.waitUntilClosed()
        guard case .invalidMessage = try #require(daemon.closed.elements.first) else {
            Issue.record("\(daemon.closed.elements)")
            return
        }
        try expectService(daemon)
    }

    @Test func `bytes that are no text end their own connection`() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try client.send(bytes: Array(#"{"method":""#.utf8) + [0xFF, 0xFE] + Array("\"}\0".utf8))
        #expect(try client.isClosedByPeer())
        try expectService(daemon)
    }

    @Test func `what came before the rubbish is answered`() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try client.send("{\"method\":\"io.ferry.Transfer.GetStatus\"}\0rubbish")
        #expect(try client.receive()?["parameters"]?["status"] != nil)
        #expect(try client.receive() == nil)
    }

    @Test func `16 MiB without an end are cut off at the limit`() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        let chunk = [UInt8](repeating: UInt8(ascii: " "), count: 64 * 1024)
        var sent = 0
        while sent < 16 << 20 {
            do { try client.send(bytes: chunk) } catch { break }
            sent += chunk.count
        }
        // What the kernel buffers comes on top of the 4 MiB that the server reads.
        #expect(sent < 6 << 20)
        #expect(try client.isClosedByPeer())
        await daemon.waitUntilClosed()
        #expect(daemon.closed.elements == [.invalidMessage(.tooLong(limit: 4 << 20))])
        try expectService(daemon)
    }

    @Test func `a message of exactly the limit is taken`() async throws {
        var limits = VarlinkServer.Limits()
        limits.message.byteCount = 100
        let daemon = try await TestDaemon(limits: limits)
        let client = try daemon.connect()
        let call = #"{"method":"io.ferry.Transfer.GetStatus"}"#
        try client.send(call + String(repeating: " ", count: 100 - call.utf8.count))
        #expect(try client.receive()?["parameters"]?["status"] != nil)
        try client.send(call + String(repeating: " ", count: 101 - call.utf8.count))
        #expect(try client.receive() == nil)
    }

    @Test(arguments: ["[", #"{"a":"#])
    func `deep nesting ends its own connection`(opening: String) async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        let text = #"{"method":"io.ferry.Transfer.GetStatus","parameters":"#
        try client.send(text + String(repeating: opening, count: 100_000))
        #expect(try client.isClosedByPeer())
        await daemon.waitUntilClosed()
        guard case .invalidMessage(.malformed(let reason)) = daemon.closed.elements.first else {
            Issue.record("\(daemon.closed.elements)")
            return
        }
        #expect(reason.hasSuffix("it is nested too deep"))
        try expectService(daemon)
    }

    @Test func `a call that comes byte by byte is answered, and nobody waits for it`()
        async throws
    {
        let daemon = try await TestDaemon()
        let slow = try daemon.connect()
        let bytes = Array(#"{"method":"io.ferry.Transfer.GetStatus"}"#.utf8) + [0]
        for (index, byte) in bytes.enumerated() {
            try slow.send(bytes: [byte])
            if index % 10 == 0 { try expectService(daemon) }
        }
        #expect(try slow.receive()?["parameters"]?["status"] != nil)
    }

    @Test func `an owner that heeds isWritable can stream to a client that does not read`()
        async throws
    {
        let box = ReplyBox<Wire.WatchTasks>()
        let writable = Recorder<Bool>()
        let daemon = try await TestDaemon { call, _ in
            guard case .watchTasks(_, let reply) = call else { return TestDaemon.answer(call) }
            reply.onWritable = { writable.append(reply.isWritable) }
            box.put(reply)
        }
        let client = try daemon.connect()
        try client.call("WatchTasks", flags: #","more":true"#)
        let reply = try #require(await box.wait(for: 1).first)
        let sent = await LoopActor.run {
            var sent = 0
            while reply.isWritable {
                reply.stream(.init(tasks: [Samples.task], removed: [Int64(sent)]))
                sent += 1
            }
            return sent
        }
        #expect(await LoopActor.run { reply.isOpen })
        #expect(writable.elements == [])
        try expectService(daemon)
        for id in 0..<sent {
            let message = try client.receive()
            #expect(message?["parameters"]?["removed"] == .array([.int(Int64(id))]))
        }
        await LoopActor.run { reply.success(.init(tasks: [], removed: [])) }
        #expect(try client.receive()?["continues"] == nil)
        #expect(writable.elements == [true])
    }

    @Test func `a client that never reads its stream is cut off in the end`() async throws {
        var limits = VarlinkServer.Limits()
        limits.queuedByteCount = 1 << 20
        let box = ReplyBox<Wire.WatchTasks>()
        let daemon = try await TestDaemon(limits: limits) { call, _ in
            guard case .watchTasks(_, let reply) = call else { return TestDaemon.answer(call) }
            box.put(reply)
        }
        let client = try daemon.connect()
        try client.call("WatchTasks", flags: #","more":true"#)
        let reply = try #require(await box.wait(for: 1).first)
        await LoopActor.run {
            var count = 0
            while reply.isOpen, count < 100_000 {
                reply.stream(.init(tasks: [Samples.task], removed: []))
                count += 1
            }
        }
        guard case .unreadReplies(let count) = try #require(daemon.closed.elements.first) else {
            Issue.record("\(daemon.closed.elements)")
            return
        }
        #expect(count > limits.queuedByteCount)
        #expect(try client.isClosedByPeer())
        try expectService(daemon)
    }

    @Test func `a client that calls and never reads is not read from any more`() async throws {
        var limits = VarlinkServer.Limits()
        limits.writableByteCount = 64 << 10
        let calls = Recorder<Int64>()
        let daemon = try await TestDaemon(limits: limits) { call, _ in
            if case .getTask(let task, _) = call { calls.append(task.id) }
            TestDaemon.answer(call)
        }
        let client = try daemon.connect()
        let call = Array(#"{"method":"io.ferry.Transfer.GetTask","parameters":{"id":1}}"#.utf8)
        var sent = 0
        var rest = ArraySlice<UInt8>()
        // As much as it takes until neither side has room.
        while sent < 100_000 {
            if rest.isEmpty { rest = (call + [0])[...] }
            guard let count = try client.sendSome(rest) else {
                // Two turns of the loop in which nothing was taken: the server has stopped reading.
                let before = calls.elements.count
                await LoopActor.run {}
                await LoopActor.run {}
                if calls.elements.count == before, !client.hasRoom { break }
                continue
            }
            rest = rest.dropFirst(count)
            if rest.isEmpty { sent += 1 }
        }
        #expect(sent < 100_000)
        #expect(calls.elements.count < sent)
        try expectService(daemon)
        // Reading gets everything going again.
        for _ in 0..<sent { #expect(try client.receive()?["parameters"]?["task"] != nil) }
    }

    @Test func `ten thousand calls at once are answered in order`() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        let count: Int64 = 10_000
        Thread.detachNewThread {
            for id in 0..<count { try? client.call("GetTask", #"{"id":\#(id)}"#) }
        }
        for id in 0..<count {
            let answer = try client.receive()
            #expect(answer?["parameters"]?["task"]?["id"] == .int(id))
        }
    }

    @Test func `calls that are not answered hold up those behind them and nobody else`()
        async throws
    {
        let box = ReplyBox<Wire.GetTask>()
        let daemon = try await TestDaemon { call, _ in
            guard case .getTask(let task, let reply) = call, task.id == 0 else {
                return TestDaemon.answer(call)
            }
            box.put(reply)
        }
        let client = try daemon.connect()
        let limit = VarlinkServer.Limits().pendingCallCount
        for _ in 0..<limit + 36 { try client.call("GetTask", #"{"id":0}"#) }
        #expect(await box.wait(for: limit).count == limit)
        try expectService(daemon)
        #expect(await box.wait(for: limit).count == limit)
        await LoopActor.run {
            for reply in box.replies { reply.failure(.taskNotFound(id: 0)) }
        }
        #expect(await box.wait(for: limit + 36).count == limit + 36)
    }

    @Test func `large calls that are not answered hold up those behind them sooner`() async throws {
        let box = ReplyBox<Wire.GetTask>()
        var limits = VarlinkServer.Limits()
        limits.pendingByteCount = 1000
        let daemon = try await TestDaemon(limits: limits) { call, _ in
            guard case .getTask(let task, let reply) = call, task.id == 0 else {
                return TestDaemon.answer(call)
            }
            box.put(reply)
        }
        let client = try daemon.connect()
        let padding = String(repeating: "x", count: 400)
        for _ in 0..<5 { try client.call("GetTask", #"{"id":0,"padding":"\#(padding)"}"#) }
        #expect(await box.wait(for: 3).count == 3)
        try expectService(daemon)
        #expect(await box.wait(for: 3).count == 3)
        // Each answer lets one more in, and a call that is above the limit by itself is alone.
        await LoopActor.run {
            for reply in box.replies { reply.failure(.taskNotFound(id: 0)) }
        }
        #expect(await box.wait(for: 5).count == 5)
    }

    @Test func `thousands of connections are refused beyond the limit and welcome after`()
        async throws
    {
        var limits = VarlinkServer.Limits()
        limits.connectionCount = 100
        limits.connectionCountPerProcess = 1000
        let daemon = try await TestDaemon(limits: limits)
        let first = try daemon.connect()
        try first.call("GetStatus")
        _ = try first.receive()
        var clients: [RawConnection] = []
        var refused = 0
        for _ in 0..<3000 {
            let client = try daemon.connect()
            clients.append(client)
            // The refused ones are looked at as they come, or the test would need their descriptors.
            if clients.count > 99 {
                let answer = try client.receive()
                #expect(answer?["error"] == .string("io.ferry.Transfer.LimitExceeded"))
                #expect(answer?["parameters"]?["maximum"] == .int(100))
                #expect(try client.receive() == nil)
                refused += 1
                clients.removeLast()
            }
        }
        #expect(refused == 3000 - 99)
        #expect(daemon.refused.elements.count == refused)
        try first.call("GetStatus")
        #expect(try first.receive()?["parameters"]?["status"] != nil)
        clients = []
        await daemon.waitUntilClosed(99)
        try expectService(daemon)
    }

    @Test func `one process cannot take all connections`() async throws {
        var limits = VarlinkServer.Limits()
        limits.connectionCountPerProcess = 3
        let daemon = try await TestDaemon(limits: limits)
        var clients: [RawConnection] = []
        for _ in 0..<3 {
            let client = try daemon.connect()
            try client.call("GetStatus")
            _ = try client.receive()
            clients.append(client)
        }
        let refused = try daemon.connect()
        #expect(try refused.receive()?["parameters"]?["maximum"] == .int(3))
        clients.removeFirst()
        await daemon.waitUntilClosed()
        try expectService(daemon)
    }

    @Test func `a process that has one connection more than another makes no room for it`()
        async throws
    {
        var limits = VarlinkServer.Limits()
        limits.connectionCount = 5
        let daemon = try await TestDaemon(limits: limits)
        let other = try await TestProcess(
            "/usr/bin/python3",
            [
                "-c",
                """
                import socket, sys, time
                all = [socket.socket(socket.AF_UNIX) for _ in range(5)]
                for s in all:
                    s.connect(sys.argv[1])
                time.sleep(600)
                """,
                daemon.place.directory.path(of: "socket"),
            ],
            environment: [:]
        )
        await daemon.waitUntilOpened(5)
        let clients = try (0..<2).map { _ in try daemon.connect() }
        for client in clients {
            try client.call("GetStatus")
            #expect(try client.receive()?["parameters"]?["status"] != nil)
        }
        // Otherwise the two would close each other's connections for ever.
        let refused = try daemon.connect()
        #expect(try refused.receive()?["parameters"]?["maximum"] == .int(5))
        await other.killed()
    }

    @Test func `a process that has most of all connections makes room for others`() async throws {
        var limits = VarlinkServer.Limits()
        limits.connectionCount = 20
        let daemon = try await TestDaemon(limits: limits)
        // Another process, since connections are counted by process.
        let hoarder = try await TestProcess(
            "/usr/bin/python3",
            [
                "-c",
                """
                import socket, sys, time
                for _ in range(20):
                    s = socket.socket(socket.AF_UNIX)
                    s.connect(sys.argv[1])
                    globals().setdefault("all", []).append(s)
                time.sleep(600)
                """,
                daemon.place.directory.path(of: "socket"),
            ],
            environment: [:]
        )
        await daemon.waitUntilOpened(20)
        for _ in 0..<10 {
            try expectService(daemon)
        }
        let clients = try (0..<10).map { _ in try daemon.connect() }
        for client in clients {
            try client.call("GetStatus")
            #expect(try client.receive()?["parameters"]?["status"] != nil)
        }
        // Now that both have the same share, nobody's connection is closed for another.
        let refused = try daemon.connect()
        #expect(try refused.receive()?["parameters"]?["maximum"] == .int(20))
        await hoarder.killed()
    }

    @Test func `clients that make the server hold too much are closed, the greatest first`()
        async throws
    {
        var limits = VarlinkServer.Limits()
        limits.heldByteCount = 1 << 20
        let daemon = try await TestDaemon(limits: limits)
        let honest = try daemon.connect()
        try honest.send(bytes: [UInt8](repeating: 32, count: 1000))
        let clients = try (0..<3).map { _ in try daemon.connect() }
        for (index, client) in clients.enumerated() {
            // Unfinished messages, together more than the limit, the second one the greatest.
            let count = index == 1 ? 600 << 10 : 300 << 10
            try? client.send(bytes: [UInt8](repeating: 32, count: count))
        }
        await daemon.waitUntilClosed()
        #expect(try clients[1].receive() == nil)
        try honest.call("GetStatus")
        #expect(try honest.receive()?["parameters"]?["status"] != nil)
        for client in [clients[0], clients[2]] {
            try client.call("GetStatus")
            #expect(try client.receive()?["parameters"]?["status"] != nil)
        }
    }

    @Test func `descriptors that nobody asked for are closed`() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        var pipe: [Int32] = [0, 0]
        #expect(Glibc.pipe(&pipe) == 0)
        let call = Array(#"{"method":"io.ferry.Transfer.GetStatus"}"#.utf8) + [0]
        _ = try call.withUnsafeBytes {
            try SocketMessage.send($0, descriptors: [pipe[1]], over: client.descriptor)
        }
        close(pipe[1])
        #expect(try client.receive()?["parameters"]?["status"] != nil)
        // The pipe ends when no process has its writing end any more.
        var byte: UInt8 = 0
        #expect(read(pipe[0], &byte, 1) == 0)
        close(pipe[0])
    }

    @Test func `a client that goes away in the middle of a message is no matter`() async throws {
        let daemon = try await TestDaemon()
        do {
            let client = try daemon.connect()
            try client.send(bytes: Array(#"{"method":"io.fer"#.utf8))
        }
        await daemon.waitUntilClosed()
        #expect(daemon.closed.elements == [.closedByPeer])
        try expectService(daemon)
    }

    @Test func `a client that does not wait for its answer is no matter`() async throws {
        let box = ReplyBox<Wire.GetTask>()
        let daemon = try await TestDaemon { call, _ in
            if case .getTask(let task, let reply) = call, task.id == 1 { return box.put(reply) }
            TestDaemon.answer(call)
        }
        do {
            let client = try daemon.connect()
            try client.call("GetTask", #"{"id":1}"#)
            _ = await box.wait(for: 1)
            // Answered into a socket that nobody has any more, with bytes left unread.
            try client.call("GetStatus")
        }
        await LoopActor.run { box.replies[0].failure(.taskNotFound(id: 1)) }
        await daemon.waitUntilClosed()
        try expectService(daemon)
    }
}
