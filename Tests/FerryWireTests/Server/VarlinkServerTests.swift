import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(1))) struct VarlinkServerTests {
    @Test func `the service introduces itself and describes its interfaces`() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try client.send(#"{"method":"org.varlink.service.GetInfo"}"#)
        let info = try #require(try client.receive()?["parameters"])
        #expect(info["product"] == .string("ferryd"))
        #expect(
            info["interfaces"]
                == .array([.string("org.varlink.service"), .string("io.ferry.Transfer")])
        )
        for (name, text) in [
            ("io.ferry.Transfer", Wire.description),
            ("org.varlink.service", ServiceInformation.description),
        ] {
            try client.send(
                """
                {"method":"org.varlink.service.GetInterfaceDescription",\
                "parameters":{"interface":"\(name)"}}
                """
            )
            #expect(try client.receive()?["parameters"]?["description"] == .string(text))
        }
        try client.send(
            """
            {"method":"org.varlink.service.GetInterfaceDescription",\
            "parameters":{"interface":"io.ferry.Other"}}
            """
        )
        let refusal = try client.receive()
        #expect(refusal?["error"] == .string("org.varlink.service.InterfaceNotFound"))
        #expect(refusal?["parameters"]?["interface"] == .string("io.ferry.Other"))
    }

    @Test func `a call that makes no sense is an error, and the next one is answered`()
        async throws
    {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try client.call("Nothing")
        try client.call("GetTask", #"{"id":"seven"}"#)
        try client.call("GetTask", #"{"id":7}"#)
        #expect(try client.receive()?["error"] == .string("org.varlink.service.MethodNotFound"))
        let refusal = try client.receive()
        #expect(refusal?["error"] == .string("org.varlink.service.InvalidParameter"))
        #expect(refusal?["parameters"]?["parameter"] == .string("id"))
        let answer = try client.receive()
        #expect(answer?["parameters"]?["task"]?["id"] == .int(7))
        #expect(answer?["error"] == nil)
        #expect(answer?["continues"] == nil)
    }

    @Test func `an error of the interface carries its particulars`() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try client.call("Resume", #"{"session":6,"identifier":1}"#)
        let refusal = try client.receive()
        #expect(refusal?["error"] == .string("io.ferry.Transfer.SessionNotOpen"))
        #expect(refusal?["parameters"] == .object(["session": .int(6)]))
        try client.call("Resume", #"{"session":5,"identifier":1}"#)
        #expect(try client.receive() == .object(["parameters": .object([:])]))
    }

    @Test func `answers go out in the order of the calls`() async throws {
        let box = ReplyBox<Wire.GetTask>()
        let daemon = try await TestDaemon { call, _ in
            if case .getTask(_, let reply) = call { box.put(reply) }
        }
        let client = try daemon.connect()
        for id in 0..<4 { try client.call("GetTask", #"{"id":\#(id)}"#) }
        let replies = await box.wait(for: 4)
        await LoopActor.run {
            for index in [2, 1, 3] { replies[index].failure(.taskNotFound(id: Int64(index))) }
        }
        #expect(!client.hasInput)
        await LoopActor.run { replies[0].failure(.taskNotFound(id: 0)) }
        for id in 0..<4 {
            #expect(try client.receive()?["parameters"]?["id"] == .int(Int64(id)))
        }
    }

    @Test func `a stream goes on until its last reply, then the next call is answered`()
        async throws
    {
        let box = ReplyBox<Wire.WatchTasks>()
        let daemon = try await TestDaemon { call, _ in
            if case .watchTasks(_, let reply) = call {
                box.put(reply)
            } else {
                TestDaemon.answer(call)
            }
        }
        let client = try daemon.connect()
        try client.call("WatchTasks", flags: #","more":true"#)
        try client.call("GetStatus")
        let stream = try #require(await box.wait(for: 1).first)
        #expect(await stream.isStream)
        await LoopActor.run {
            stream.stream(.init(tasks: [], removed: [1]))
            stream.stream(.init(tasks: [], removed: [2]))
        }
        for id in 1...2 {
            let reply = try client.receive()
            #expect(reply?["continues"] == .bool(true))
            #expect(reply?["parameters"]?["removed"] == .array([.int(Int64(id))]))
        }
        #expect(!client.hasInput)
        await LoopActor.run {
            stream.success(.init(tasks: [], removed: [3]))
            #expect(!stream.isOpen)
            stream.stream(.init(tasks: [], removed: [4]))
        }
        let last = try client.receive()
        #expect(last?["continues"] == nil)
        #expect(last?["parameters"]?["removed"] == .array([.int(3)]))
        #expect(try client.receive()?["parameters"]?["status"] != nil)
    }

    @Test func `a stream to a client that wants one reply ends with the first`() async throws {
        let daemon = try await TestDaemon { call, _ in
            guard case .watchTasks(_, let reply) = call else { return }
            #expect(!reply.isStream)
            reply.stream(.init(tasks: [], removed: [1]))
            #expect(!reply.isOpen)
        }
        let client = try daemon.connect()
        try client.call("WatchTasks")
        let reply = try client.receive()
        #expect(reply?["continues"] == nil)
        #expect(reply?["parameters"]?["removed"] == .array([.int(1)]))
    }

    @Test func `a subscription must be a stream`() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try client.call("Subscribe", #"{"session":1}"#)
        #expect(try client.receive()?["error"] == .string("org.varlink.service.ExpectedMore"))
    }

    @Test func `a oneway call is carried out and not answered`() async throws {
        let calls = Recorder<Int64>()
        let daemon = try await TestDaemon { call, _ in
            if case .getTask(let task, _) = call { calls.append(task.id) }
            TestDaemon.answer(call)
        }
        let client = try daemon.connect()
        try client.call("GetTask", #"{"id":1}"#, flags: #","oneway":true"#)
        try client.call("Nothing", flags: #","oneway":true"#)
        try client.call("GetTask", #"{"id":2}"#)
        #expect(try client.receive()?["parameters"]?["task"]?["id"] == .int(2))
        #expect(calls.elements == [1, 2])
        #expect(!client.hasInput)
    }

    @Test(arguments: [true, false])
    func `a reply that is let go of is an error for the client`(onLoop: Bool) async throws {
        let box = ReplyBox<Wire.GetTask>()
        let daemon = try await TestDaemon { call, _ in
            guard !onLoop, case .getTask(_, let reply) = call else { return }
            box.put(reply)
        }
        let client = try daemon.connect()
        try client.call("GetTask", #"{"id":1}"#)
        if !onLoop {
            let held = await box.wait(for: 1)
            await box.removeAll()
            // The last holder is this thread, not the loop.
            _ = consume held
        }
        #expect(try client.receive()?["error"] == .string("io.ferry.Transfer.InternalFailure"))
    }

    @Test func `an answer that JSON does not have is an error for the client`() async throws {
        let daemon = try await TestDaemon { call, _ in
            guard case .getTask(_, let reply) = call else { return }
            var task = Samples.task
            task.priority = .nan
            reply.success(.init(task: task))
        }
        let client = try daemon.connect()
        try client.call("GetTask", #"{"id":1}"#)
        #expect(try client.receive()?["error"] == .string("io.ferry.Transfer.InternalFailure"))
    }

    @Test func `everything that a client sent before it went away is carried out, in order`()
        async throws
    {
        // More than are carried out at once, and no more than the kernel holds of small messages.
        let count: Int64 = 200
        let calls = Recorder<Int64>()
        let box = ReplyBox<Wire.GetTask>()
        let daemon = try await TestDaemon { call, _ in
            guard case .getTask(let task, let reply) = call else { return }
            calls.append(task.id)
            box.put(reply)
        }
        let client = try daemon.connect()
        for id in 0..<count { try client.call("GetTask", #"{"id":\#(id)}"#) }
        client.disconnect()
        await daemon.waitUntilClosed()
        #expect(calls.elements == Array(0..<count))
        #expect(daemon.closed.elements == [.closedByPeer])
        let replies = await box.wait(for: Int(count))
        #expect(await LoopActor.run { !replies.contains { $0.isOpen } })
    }

    @Test func `a client that has ended its side still gets its answers`() async throws {
        let box = ReplyBox<Wire.GetTask>()
        let daemon = try await TestDaemon { call, _ in
            if case .getTask(_, let reply) = call { box.put(reply) }
        }
        let client = try daemon.connect()
        try client.call("GetTask", #"{"id":1}"#)
        try client.call("GetTask", #"{"id":2}"#)
        client.endSending()
        let replies = await box.wait(for: 2)
        await LoopActor.run { for reply in replies { reply.failure(.taskNotFound(id: 3)) } }
        #expect(try client.receive()?["parameters"]?["id"] == .int(3))
        #expect(try client.receive()?["parameters"]?["id"] == .int(3))
        #expect(try client.receive() == nil)
        await daemon.waitUntilClosed()
    }

    @Test(arguments: [1, 40])
    func
        `a client that has ended its side gets answers, too, that the kernel does not hold at once`(
            count: Int
        ) async throws
    {
        let box = ReplyBox<Wire.WatchTasks>()
        let daemon = try await TestDaemon { call, _ in
            guard case .watchTasks(_, let reply) = call else { return TestDaemon.answer(call) }
            box.put(reply)
        }
        let client = try daemon.connect()
        try client.call("WatchTasks", flags: #","more":true"#)
        client.endSending()
        let reply = try #require(await box.wait(for: 1).first)
        // Once a later client is answered, the end of this one's calls has been read.
        let other = try daemon.connect()
        try other.call("GetStatus")
        _ = try other.receive()
        var task = Samples.task
        task.description = String(repeating: "x", count: (2 << 20) / count)
        let tasks = [task]
        await LoopActor.run {
            for number in 1..<count { reply.stream(.init(tasks: tasks, removed: [Int64(number)])) }
            reply.success(.init(tasks: tasks, removed: [Int64(count)]))
        }
        for number in 1...count {
            let message = try client.receive()
            #expect(message?["parameters"]?["removed"] == .array([.int(Int64(number))]))
        }
        #expect(try client.receive() == nil)
        await daemon.waitUntilClosed()
        #expect(daemon.closed.elements == [.closedByPeer])
    }

    @Test func `the owner of an open reply learns that the client has gone, once`() async throws {
        let ends = Recorder<String>()
        let box = ReplyBox<Wire.Subscribe>()
        let daemon = try await TestDaemon { call, _ in
            guard case .subscribe(_, let reply) = call else { return }
            reply.onClose = { ends.append("closed") }
            box.put(reply)
        }
        let client = try daemon.connect()
        try client.call("Subscribe", #"{"session":1}"#, flags: #","more":true"#)
        let reply = try #require(await box.wait(for: 1).first)
        await LoopActor.run { reply.stream(.init(event: Samples.event)) }
        _ = try client.receive()
        client.disconnect()
        await daemon.waitUntilClosed()
        #expect(ends.elements == ["closed"])
        await LoopActor.run {
            #expect(!reply.isOpen)
            #expect(!reply.isWritable)
            reply.stream(.init(event: Samples.event))
            reply.success(.init(event: Samples.event))
        }
        #expect(ends.elements == ["closed"])
    }

    @Test func `a handler may close the connection that calls it`() async throws {
        let daemon = try await TestDaemon { _, connection in connection.close() }
        let client = try daemon.connect()
        // All at once: the connection may be gone before a second message is sent.
        let call = "{\"method\":\"io.ferry.Transfer.GetStatus\"}\0"
        try client.send(bytes: Array(String(repeating: call, count: 3).utf8))
        #expect(try client.isClosedByPeer())
        await daemon.waitUntilClosed()
        #expect(daemon.closed.elements == [.closedByServer])
    }

    @Test func `the peer's process and user are those of the client`() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try client.call("GetStatus")
        _ = try client.receive()
        let peer = try #require(daemon.opened.elements.first)
        #expect(peer.processIdentifier == getpid())
        #expect(peer.userIdentifier == geteuid())
        #expect(await daemon.server?.connectionCount == 1)
    }

    @Test func `a client of another user is turned away before a byte is read`() async throws {
        let daemon = try await TestDaemon(user: geteuid() + 1) { _, _ in
            Issue.record("a call was read")
        }
        let client = try daemon.connect()
        try? client.call("GetStatus")
        #expect(try client.receive() == nil)
        await LoopActor.run {}
        #expect(daemon.refused.elements == [.foreignUser])
        #expect(daemon.opened.elements == [])
    }

    @Test func `who got through before the server stopped listening is served, nobody after`()
        async throws
    {
        let daemon = try await TestDaemon()
        let early = try await LoopActor.run {
            // The loop is busy here, so that the connection waits in the kernel.
            let early = try daemon.connect()
            daemon.server?.stopListeningAndDrain()
            #expect(daemon.server?.connectionCount == 1)
            return early
        }
        try early.call("GetStatus")
        #expect(try early.receive()?["parameters"]?["status"] != nil)
        #expect(throws: SystemCallError.self) { _ = try daemon.connect() }
    }

    @Test func `closing the server closes its connections`() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.connect()
        try client.call("GetStatus")
        _ = try client.receive()
        await daemon.server?.close()
        #expect(try client.receive() == nil)
        #expect(daemon.closed.elements == [.closedByServer])
    }
}
