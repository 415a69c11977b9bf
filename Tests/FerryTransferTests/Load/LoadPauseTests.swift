import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Loads that are paused and resumed while their app is asked.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct LoadPauseTests {
    /// An app that answers when its test says so, and gets the response.
    private final class App: ForwardingDecider, LoadReceiver {
        enum Call: Hashable {
            case head
            case bytes
            case end
        }

        var decider: (any LoadDecider)? { nil }
        private(set) var calls: [Call] = []
        let wasAsked = AsyncValue<Bool>()
        let hasEnded = AsyncValue<Bool>()
        /// Makes the response in question the answer.
        private(set) var decline: (@LoopActor () -> Void)?

        func load(
            _ load: Load,
            mayRedirectTo request: TransferRequest,
            for head: HTTPResponseHead,
            then follow: @escaping @LoopActor (TransferRequest?) -> Void
        ) {
            decline = { follow(nil) }
            wasAsked.set(true)
        }

        func load(
            _ load: Load,
            decideOn challenge: LoadChallenge,
            then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
        ) {
            decline = { answer(.performDefaultHandling) }
            wasAsked.set(true)
        }

        func load(
            _ load: Load,
            didReceive head: HTTPResponseHead,
            to request: TransferRequest
        ) -> HTTPBodyDisposition {
            calls.append(.head)
            return .deliver
        }

        func load(_ load: Load, didReceive bytes: UnsafeRawBufferPointer) -> HTTPBodyDisposition {
            if calls.last != .bytes { calls.append(.bytes) }
            return .deliver
        }

        func load(_ load: Load, didFinishWith error: TransferError?) {
            calls.append(.end)
            hasEnded.set(true)
        }
    }

    private nonisolated static let questions: [FixtureAnswer] = [
        .redirect(to: "/elsewhere"),
        .status(401, fields: [("WWW-Authenticate", "Basic realm=\"x\"")], body: "Who is there?"),
    ]

    private let bench: DownloadBench
    private let app = App()

    init() throws { bench = try DownloadBench() }

    /// A load whose app is being asked, and whose response has arrived.
    private func asking(_ question: FixtureAnswer) async throws -> Load {
        bench.server.on("/file", question)
        let load = Load(
            request: bench.request(),
            client: bench.client,
            decider: app,
            receiver: app
        )
        load.start()
        _ = await app.wasAsked.value
        try await bench.server.waitUntil { $0.requests.first?.state == .sent }
        return load
    }

    /// Another transfer's end shows that the loop has gone round in the meantime.
    private func goRound() async {
        bench.server.on("/other", .content(.text("x")))
        #expect(await bench.download(bench.request("/other"), to: "other").result() != nil)
    }

    @Test(arguments: questions)
    func `a body is not let through by the end of a pause while the app is asked`(
        question: FixtureAnswer
    ) async throws {
        let load = try await asking(question)
        load.pause()
        load.resume()
        await goRound()
        #expect(app.calls == [])
        app.decline?()
        _ = await app.hasEnded.value
        #expect(app.calls == [.head, .bytes, .end])
    }

    @Test(arguments: questions)
    func `nor is it by the app's answer during a pause`(question: FixtureAnswer) async throws {
        let load = try await asking(question)
        load.pause()
        app.decline?()
        await goRound()
        #expect(app.calls == [.head])
        load.resume()
        _ = await app.hasEnded.value
        #expect(app.calls == [.head, .bytes, .end])
    }
}
