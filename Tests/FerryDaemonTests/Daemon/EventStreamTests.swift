import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// The events of several sessions over one stream, as a client gets them.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct EventStreamTests {
    private let bench: DaemonBench
    private let server: VarlinkServer
    private let calls: VarlinkClient
    private let events: VarlinkClient
    private let replies: AsyncStream<Wire.StreamEvents.Reply>
    private let stream: String

    init() async throws {
        bench = try await DaemonBench()
        let daemon = try await bench.start()
        let server = VarlinkServer(
            information: ServiceInformation(
                vendor: "Ferry",
                product: "ferryd",
                version: "1",
                url: "https://example.org"
            ),
            handler: daemon
        )
        self.server = server
        func client() throws -> VarlinkClient {
            try UnixSocket.pair().split { theirs, ours in
                server.accept(theirs)
                return VarlinkClient(ours)
            }
        }
        calls = try client()
        events = try client()
        let (replies, continuation) = AsyncStream<Wire.StreamEvents.Reply>.makeStream()
        events.stream(Wire.StreamEvents()) { reply in
            if case .next(let reply) = reply {
                continuation.yield(reply)
            } else {
                continuation.finish()
            }
        }
        self.replies = replies
        var iterator = replies.makeAsyncIterator()
        stream = try #require(await iterator.next()?.stream)
    }

    private func open(_ identifier: String) async throws -> Int64 {
        let open = Wire.OpenSession(
            application: Wire.Application(identifier: "app"),
            identifier: identifier,
            configuration: .sample
        )
        return try await calls.call(open).session
    }

    private func receive(_ session: Int64) async throws {
        _ = try await calls.call(Wire.ReceiveEvents(session: session, stream: stream))
    }

    /// Makes a task and cancels it, for which there is an event.
    private func cancelTask(_ identifier: Int = 1, in session: Int64) async throws {
        _ = try await calls.call(Wire.CreateDownload.sample(session, identifier))
        _ = try await calls.call(Wire.Cancel(session: session, identifier: identifier))
    }

    private func next() async -> String {
        var iterator = replies.makeAsyncIterator()
        guard let reply = await iterator.next() else { return "end" }
        return "\(reply.session ?? 0) \(reply.event.map { "\($0.kind)" } ?? "none")"
    }

    @Test func `API-23: the events of each session say whose they are`() async throws {
        let (one, two) = (try await open("one"), try await open("two"))
        try await receive(one)
        #expect(await next() == "\(one) drained")
        try await receive(two)
        #expect(await next() == "\(two) drained")
        try await cancelTask(in: two)
        #expect(await next() == "\(two) completed")
        try await cancelTask(in: one)
        #expect(await next() == "\(one) completed")
        await bench.end()
    }

    @Test func `API-23: a session that is held back holds back no other`() async throws {
        let (one, two) = (try await open("one"), try await open("two"))
        try await receive(one)
        try await receive(two)
        #expect(await next() == "\(one) drained")
        #expect(await next() == "\(two) drained")
        _ = try await calls.call(Wire.HoldEvents(session: one, hold: true))
        try await cancelTask(1, in: one)
        try await cancelTask(2, in: one)
        try await cancelTask(in: two)
        #expect(await next() == "\(two) completed")
        _ = try await calls.call(Wire.HoldEvents(session: one, hold: false))
        #expect(await next() == "\(one) completed")
        #expect(await next() == "\(one) completed")
        await bench.end()
    }

    @Test
    func `API-23: a session that receives its events again gets those that are not acknowledged`()
        async throws
    {
        let one = try await open("one")
        try await receive(one)
        #expect(await next() == "\(one) drained")
        try await cancelTask(in: one)
        #expect(await next() == "\(one) completed")
        // No end of the events is reported to the one that has asked for them anew.
        try await receive(one)
        #expect(await next() == "\(one) completed")
        #expect(await next() == "\(one) drained")
        await bench.end()
    }

    @Test func `API-23: a released session has no more events, and its number opens nothing`()
        async throws
    {
        let (one, two) = (try await open("one"), try await open("two"))
        try await receive(one)
        try await receive(two)
        #expect(await next() == "\(one) drained")
        #expect(await next() == "\(two) drained")
        try await cancelTask(in: one)
        #expect(await next() == "\(one) completed")
        _ = try await calls.call(Wire.ReleaseSession(session: one))
        #expect(await next() == "\(one) none")
        await #expect(throws: CallError.refused(.sessionNotOpen(session: one))) {
            try await receive(one)
        }
        await #expect(throws: CallError.refused(.sessionNotOpen(session: one))) {
            try await calls.call(Wire.HoldEvents(session: one, hold: true))
        }
        await bench.end()
    }

    @Test func `API-23: events go over no stream that is not there`() async throws {
        let one = try await open("one")
        await #expect(throws: CallError.self) {
            try await calls.call(Wire.ReceiveEvents(session: one, stream: "other"))
        }
        // With its connection a stream is gone.
        events.close()
        #expect(await next() == "end")
        _ = try await calls.call(Wire.GetStatus())
        await #expect(throws: CallError.self) { try await receive(one) }
        await bench.end()
    }
}
