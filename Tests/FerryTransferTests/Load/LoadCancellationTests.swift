import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Loads that are cancelled by an app from inside a call.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct LoadCancellationTests {
    /// The call in which the app cancels.
    enum Call: CaseIterable {
        case redirect
        case challenge
        case head
        case bytes

        var answer: FixtureAnswer {
            switch self {
            case .redirect: .redirect(to: "/elsewhere")
            case .challenge: .status(401, fields: [("WWW-Authenticate", "Basic realm=\"x\"")])
            case .head, .bytes: .content(.text("x"))
            }
        }
    }

    private final class App: ForwardingDecider, LoadReceiver {
        var decider: (any LoadDecider)? { nil }
        private(set) var collectedCount = 0
        private(set) var calls: [Call] = []
        let hasCollected = AsyncValue<Bool>()
        private let last: Call

        init(cancellingIn last: Call) { self.last = last }

        private func record(_ call: Call, by load: Load) {
            calls.append(call)
            if call == last { load.cancel() }
        }

        func load(
            _ load: Load,
            mayRedirectTo request: TransferRequest,
            for head: HTTPResponseHead,
            then follow: @escaping @LoopActor (TransferRequest?) -> Void
        ) {
            record(.redirect, by: load)
            follow(request)
        }

        func load(
            _ load: Load,
            decideOn challenge: LoadChallenge,
            then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
        ) {
            record(.challenge, by: load)
            answer(.performDefaultHandling)
        }

        func load(_ load: Load, didCollect transaction: LoadTransaction) {
            collectedCount += 1
            hasCollected.set(true)
        }

        func load(
            _ load: Load,
            didReceive head: HTTPResponseHead,
            to request: TransferRequest
        ) -> HTTPBodyDisposition {
            record(.head, by: load)
            return .deliver
        }

        func load(_ load: Load, didReceive bytes: UnsafeRawBufferPointer) -> HTTPBodyDisposition {
            record(.bytes, by: load)
            return .deliver
        }

        func load(_ load: Load, didFinishWith error: TransferError?) {
            Issue.record("a load that was cancelled has ended")
        }
    }

    private let bench: DownloadBench

    init() throws { bench = try DownloadBench() }

    @Test(arguments: Call.allCases)
    func `a cancel inside a call is the last call, and the exchange's metrics are told`(
        call: Call
    ) async throws {
        let app = App(cancellingIn: call)
        bench.server.on("/file", call.answer)
        Load(request: bench.request(), client: bench.client, decider: app, receiver: app).start()
        _ = await app.hasCollected.value
        // Another transfer's end shows that the loop has gone round in the meantime.
        bench.server.on("/other", .content(.text("x")))
        #expect(await bench.download(bench.request("/other"), to: "other").result() != nil)
        #expect(app.calls.last == call)
        #expect(app.calls.count(where: { $0 == call }) == 1)
        #expect(app.collectedCount == 1)
        #expect(bench.server.requests.count == 2)
    }
}
