import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(1))) struct VarlinkClientTests {
    /// A client and the other end of its connection, which a test plays.
    private func pair(
        onClose: @escaping @LoopActor @Sendable (CallError) -> Void = { _ in }
    ) throws -> (VarlinkClient, RawConnection) {
        try UnixSocket.pair().split { ours, theirs in
            (VarlinkClient(ours, onClose: onClose), RawConnection(theirs))
        }
    }

    /// The answer to a call that is made before `body` is run.
    ///
    /// Not by a task: it would need a thread of the pool, all of which tests may be blocking.
    private func answer<Method: TransferMethod>(
        to method: Method,
        from client: VarlinkClient,
        after body: () throws -> Void
    ) async -> Result<Method.Reply, CallError> {
        await withCheckedContinuation { done in
            client.call(method) { done.resume(returning: $0) }
            #expect(throws: Never.self) { try body() }
        }
    }

    // MARK: - Against a server

    @Test func `a call is answered with what its method promises`() async throws {
        let daemon = try await TestDaemon()
        let client = try daemon.client()
        #expect(try await client.call(Wire.GetTask(id: 7)).task.id == 7)
        #expect(try await client.call(Wire.GetStatus()).status == Samples.status)
        let error = await #expect(throws: CallError.self) {
            try await client.call(Wire.Resume(session: 6, identifier: 1))
        }
        #expect(error == .refused(.sessionNotOpen(session: 6)))
        _ = try await client.call(Wire.Resume(session: 5, identifier: 1))
    }

    @Test func `calls from many threads are each answered, each thread's in its order`()
        async throws
    {
        let order = Recorder<Int64>()
        let daemon = try await TestDaemon { call, _ in
            if case .getTask(let task, _) = call { order.append(task.id) }
            TestDaemon.answer(call)
        }
        let client = try daemon.client()
        let answers = Recorder<Int64>()
        let (threads, calls): (Int64, Int64) = (8, 100)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            for thread in 0..<threads {
                Thread.detachNewThread {
                    for index in 0..<calls {
                        client.call(Wire.GetTask(id: thread << 32 | index)) { result in
                            if let id = try? result.get().task.id { answers.append(id) }
                            if answers.elements.count == threads * calls { done.resume() }
                        }
                    }
                }
            }
        }
        #expect(answers.elements == order.elements)
        for thread in 0..<threads {
            let own = order.elements.filter { $0 >> 32 == thread }.map { $0 & 0xFFFF_FFFF }
            #expect(own == Array(0..<calls))
        }
    }

    @Test func `a stream tells each reply and which is the last`() async throws {
        let daemon = try await TestDaemon { call, _ in
            guard case .watchTasks(_, let reply) = call else { return TestDaemon.answer(call) }
            reply.stream(.init(tasks: [], removed: [1]))
            reply.stream(.init(tasks: [], removed: [2]))
            reply.success(.init(tasks: [], removed: [3]))
        }
        let client = try daemon.client()
        let replies = Recorder<StreamReply<Wire.WatchTasks.Reply>>()
        client.stream(Wire.WatchTasks()) { replies.append($0) }
        // Answered after the stream.
        _ = try await client.call(Wire.GetStatus())
        #expect(
            replies.elements == [
                .next(.init(tasks: [], removed: [1])), .next(.init(tasks: [], removed: [2])),
                .last(.init(tasks: [], removed: [3])),
            ]
        )
    }

    @Test func `a stream ends with the error that the daemon answers`() async throws {
        let daemon = try await TestDaemon { call, _ in
            guard case .subscribe(let call, let reply) = call else { return }
            reply.stream(.init(event: Samples.event))
            reply.failure(.sessionNotOpen(session: call.session))
        }
        let client = try daemon.client()
        let replies: [StreamReply<Wire.Subscribe.Reply>] = await withCheckedContinuation { done in
            let replies = Recorder<StreamReply<Wire.Subscribe.Reply>>()
            client.stream(Wire.Subscribe(session: 9)) { reply in
                replies.append(reply)
                if case .failure = reply { done.resume(returning: replies.elements) }
            }
        }
        #expect(
            replies == [
                .next(.init(event: Samples.event)),
                .failure(.refused(.sessionNotOpen(session: 9))),
            ]
        )
    }

    @Test func `a client that stops reading is noticed by the daemon, and loses nothing`()
        async throws
    {
        let box = ReplyBox<Wire.WatchTasks>()
        let daemon = try await TestDaemon { call, _ in
            if case .watchTasks(_, let reply) = call { box.put(reply) }
        }
        let client = try daemon.client()
        let removed = Recorder<Int64>()
        let last: Int64 = await withCheckedContinuation { done in
            client.stream(Wire.WatchTasks()) { reply in
                switch reply {
                case .next(let value): for id in value.removed { removed.append(id) }
                case .last(let value): done.resume(returning: value.removed.first ?? -1)
                case .failure: done.resume(returning: -1)
                }
            }
            Task {
                await client.setReading(false)
                let stream = await box.wait(for: 1)[0]
                await LoopActor.run {
                    var count: Int64 = 0
                    while stream.isWritable {
                        stream.stream(.init(tasks: [Samples.task], removed: [count]))
                        count += 1
                    }
                    stream.success(.init(tasks: [], removed: [count]))
                }
                await client.setReading(true)
            }
        }
        #expect(last > 100)
        #expect(removed.elements == Array(0..<last))
    }

    @Test func `a oneway call is carried out`() async throws {
        let calls = Recorder<Int64>()
        let daemon = try await TestDaemon { call, _ in
            if case .getTask(let task, _) = call { calls.append(task.id) }
            TestDaemon.answer(call)
        }
        let client = try daemon.client()
        try client.send(Wire.GetTask(id: 1))
        #expect(try await client.call(Wire.GetTask(id: 2)).task.id == 2)
        #expect(calls.elements == [1, 2])
    }

    @Test func `a client for which there is no room learns why`() async throws {
        let daemon = try await TestDaemon(
            limits: {
                var limits = VarlinkServer.Limits()
                limits.connectionCount = 0
                return limits
            }()
        )
        let client = try daemon.client()
        let error = await #expect(throws: CallError.self) {
            try await client.call(Wire.GetStatus())
        }
        #expect(error == .refused(.limitExceeded(limit: "connections", maximum: 0)))
    }

    // MARK: - Against a peer that a test plays

    @Test func `a call is with the kernel when the method returns`() throws {
        let (client, peer) = try pair()
        try LoopActor.blocked {
            for id in 1...50 { client.call(Wire.GetTask(id: Int64(id))) { _ in } }
            try client.send(Wire.Stop())
            #expect(client.flush(timeout: .zero))
            // The loop has had no part in it.
            for id in 1...50 {
                let call = try peer.receive()
                #expect(call?["method"] == .string("io.ferry.Transfer.GetTask"))
                #expect(call?["parameters"]?["id"] == .int(Int64(id)))
            }
            let last = try peer.receive()
            #expect(last?["oneway"] == .bool(true))
        }
    }

    @Test func `a call never waits for a daemon that does not read, and none is lost`() throws {
        let (client, peer) = try pair()
        let count = 20_000
        for id in 0..<count { client.call(Wire.GetTask(id: Int64(id))) { _ in } }
        #expect(!client.flush(timeout: .milliseconds(1)))
        for id in 0..<count {
            #expect(try peer.receive()?["parameters"]?["id"] == .int(Int64(id)))
        }
        #expect(client.flush(timeout: .zero))
    }

    @Test func `flush waits until the daemon has read enough`() throws {
        let (client, peer) = try pair()
        let count = 5000
        LoopActor.blocked {
            for id in 0..<count { client.call(Wire.GetTask(id: Int64(id))) { _ in } }
            #expect(!client.flush(timeout: .zero))
            Thread.detachNewThread {
                for _ in 0..<count { _ = try? peer.receive() }
            }
            #expect(client.flush(timeout: .seconds(30)))
        }
    }

    @Test func `when the daemon goes away its last answers count and all other calls fail`()
        async throws
    {
        let log = Recorder<String>()
        let closing: CallError = try await withCheckedThrowingContinuation { done in
            do {
                let (client, peer) = try pair { error in
                    log.append("closed")
                    done.resume(returning: error)
                }
                for id in 1...3 {
                    client.call(Wire.Resume(session: 5, identifier: id)) { result in
                        // Keeps the client until the end.
                        _ = client
                        if case .failure(let error) = result, error.isConnectionClosed {
                            log.append("\(id) failed")
                        } else {
                            log.append("\(id) answered")
                        }
                    }
                }
                try peer.send(#"{"parameters":{}}"#)
                try peer.send(#"{"error":"io.ferry.Transfer.PermissionDenied"}"#)
                peer.disconnect()
            } catch {
                done.resume(throwing: error)
            }
        }
        #expect(closing.isConnectionClosed)
        #expect(log.elements == ["1 answered", "2 answered", "3 failed", "closed"])
    }

    // However many are outstanding: those that were answered are forgotten many at a time.
    @Test(arguments: [5, 6, 100])
    func `TEST-10: an answered call is not told once more that the daemon is gone`(
        count: Int
    ) async throws {
        let outcomes = Recorder<String>()
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            do {
                let (client, peer) = try pair { _ in done.resume() }
                for id in 1...count {
                    client.call(Wire.Resume(session: 5, identifier: id)) { result in
                        // Keeps the client until the end.
                        _ = client
                        outcomes.append(
                            "\(id) \((try? result.get()) == nil ? "failed" : "answered")"
                        )
                    }
                }
                for _ in 1...2 { try peer.send(#"{"parameters":{}}"#) }
                peer.disconnect()
            } catch {
                done.resume(throwing: error)
            }
        }
        let failed = (3...count).map { "\($0) failed" }
        #expect(outcomes.elements == ["1 answered", "2 answered"] + failed)
    }

    @Test func `after the end a call fails, later and once`() async throws {
        let (client, peer) = try pair()
        peer.disconnect()
        for _ in 0..<3 {
            let error = await #expect(throws: CallError.self) {
                try await client.call(Wire.GetStatus())
            }
            #expect(error?.isConnectionClosed == true)
        }
        #expect(!client.flush(timeout: .zero))
        let order = Recorder<String>()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            LoopActor.perform {
                client.call(Wire.GetStatus()) { _ in
                    order.append("failed")
                    done.resume()
                }
                order.append("returned")
            }
        }
        #expect(order.elements == ["returned", "failed"])
    }

    @Test(arguments: [
        "rubbish", "{}", #"{"parameters":{"status":7}}"#, #"{"parameters":{}}"#,
        #"{"error":7}"#, #"{"parameters":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["#,
    ])
    func `an answer that makes no sense closes the connection`(text: String) async throws {
        let (client, peer) = try pair()
        let result = await answer(to: Wire.GetStatus(), from: client) {
            _ = try peer.receive()
            try peer.send(text)
        }
        guard case .failure(.invalidReply) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(try peer.receive() == nil)
    }

    @Test func `a stream in answer to a call that wants one reply closes the connection`()
        async throws
    {
        let (client, peer) = try pair()
        let result = await answer(to: Wire.Resume(session: 5, identifier: 1), from: client) {
            _ = try peer.receive()
            try peer.send(#"{"parameters":{},"continues":true}"#)
        }
        #expect(throws: CallError.self) { try result.get() }
        #expect(try peer.receive() == nil)
    }

    @Test func `a daemon that speaks unasked is not listened to`() async throws {
        let closing = Recorder<CallError>()
        let (client, peer) = try pair { closing.append($0) }
        try peer.send(#"{"parameters":{}}"#)
        #expect(try peer.receive() == nil)
        // The connection was closed in the turn before.
        await LoopActor.run {}
        guard case .invalidReply = try #require(closing.elements.first) else {
            Issue.record("\(closing.elements)")
            return
        }
        let error = await #expect(throws: CallError.self) {
            try await client.call(Wire.GetStatus())
        }
        #expect(error == closing.elements.first)
    }

    @Test func `a call that is too long fails and the next one is sent`() async throws {
        let (client, peer) = try UnixSocket.pair().split { ours, theirs in
            (
                VarlinkClient(ours, callLimits: MessageLimits(byteCount: 200)),
                RawConnection(theirs)
            )
        }
        let long = Wire.RemoveHook(application: String(repeating: "x", count: 200))
        let error = await #expect(throws: CallError.self) { try await client.call(long) }
        #expect(error == .invalidCall(.tooLong(limit: 200)))
        #expect(throws: CallError.invalidCall(.tooLong(limit: 200))) { try client.send(long) }
        try client.send(Wire.Stop())
        #expect(try peer.receive()?["method"] == .string("io.ferry.Transfer.Stop"))
    }

    @Test func `a number that JSON does not have fails the call`() async throws {
        let (client, _) = try pair()
        let call = Wire.SetPriority(session: 5, identifier: 1, priority: .infinity)
        let error = await #expect(throws: CallError.self) { try await client.call(call) }
        guard case .invalidCall(.malformed) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `letting go of the client closes the connection and fails its calls`()
        async throws
    {
        let (failure, peer): (CallError?, RawConnection) = try await {
            let (client, peer) = try pair()
            let failure: CallError? = await withCheckedContinuation { done in
                client.call(Wire.GetStatus()) { result in
                    if case .failure(let error) = result { done.resume(returning: error) }
                }
                client.close()
            }
            return (failure, peer)
        }()
        #expect(failure?.isConnectionClosed == true)
        _ = try peer.receive()
        #expect(try peer.receive() == nil)
        let other: RawConnection = try {
            let (client, peer) = try pair()
            try client.send(Wire.Stop())
            return peer
        }()
        _ = try other.receive()
        #expect(try other.receive() == nil)
    }
}
