import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryHTTP

/// Whether a body arrives fast enough.
@Suite(.timeLimit(.minutes(1))) struct ReceivingRateTests {
    private let start = ContinuousClock.now
    private let period = Duration.seconds(10)

    @Test(
        arguments: [
            // The least rate, how many bytes have come, after how many seconds, and what is said of it.
            (0, 0, 60, .fine(lookAfter: .seconds(10))),
            (100, 0, 4, .fine(lookAfter: .seconds(6))),
            (100, 999, 10, .tooLow), (100, 1000, 10, .fine(lookAfter: .seconds(10))),
            (100, 1499, 15, .tooLow), (100, 1500, 15, .fine(lookAfter: .seconds(10))),
            // The machine was asleep.
            (100, 1, 20, .fine(lookAfter: .seconds(10))),
        ] as [(Int64, Int, Int, ReceivingRate.Verdict)]
    )
    func `fewer bytes than must arrive in a period are too few`(
        minimum: Int64,
        byteCount: Int,
        seconds: Int,
        verdict: ReceivingRate.Verdict
    ) {
        var rate = ReceivingRate(minimum: minimum)
        rate.received(byteCount: byteCount, at: start)
        #expect(rate.verdict(at: start + .seconds(seconds), over: period) == verdict)
    }

    @Test func `nothing is said before the body has begun`() {
        var rate = ReceivingRate(minimum: 100)
        #expect(
            rate.verdict(at: start + .seconds(100), over: period) == .fine(lookAfter: period)
        )
    }

    @Test func `each period is measured by itself`() {
        var rate = ReceivingRate(minimum: 100)
        rate.received(byteCount: 100_000, at: start)
        let end = start + period
        #expect(rate.verdict(at: end, over: period) == .fine(lookAfter: period))
        rate.received(byteCount: 999, at: end + .seconds(1))
        #expect(rate.verdict(at: end + period, over: period) == .tooLow)
    }

    @Test func `a pause begins another period`() {
        var rate = ReceivingRate(minimum: 100)
        rate.received(byteCount: 1, at: start)
        rate.restart(at: start + .seconds(8))
        #expect(
            rate.verdict(at: start + .seconds(12), over: period) == .fine(lookAfter: .seconds(6))
        )
    }
}

/// Bodies that come too slowly from a server.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct SlowBodyTests {
    private func fetch(
        spliced: Bool,
        least: Int64,
        bytesPerSecond: Int64
    ) async throws -> ExchangeProbe {
        let server = try FixtureServer()
        let content = FixtureContent.seeded(1, byteCount: 200_000)
        server.on("/a", .file(FixtureFile(content)).paced(bytesPerSecond: bytesPerSecond))
        let client = try HTTPClient.local { $0.minimumSplicedBytes = spliced ? 1 : .max }
        var request = HTTPRequest(url: server.url("/a"))
        request.idleTimeout = .milliseconds(500)
        request.minimumReceiveRate = least
        return try await client.fetch(request)
    }

    @Test(arguments: [false, true])
    func `a body that is too slow fails, however it comes`(spliced: Bool) async throws {
        let probe = try await fetch(spliced: spliced, least: 10_000_000, bytesPerSecond: 50_000)
        #expect(probe.error?.code == .timedOut)
        #expect(probe.error?.message.contains("10000000 bytes per second") == true)
    }

    @Test(arguments: [false, true])
    func `a body that is fast enough arrives, also slower than the time-out`(
        spliced: Bool
    ) async throws {
        let probe = try await fetch(spliced: spliced, least: 1000, bytesPerSecond: 200_000)
        #expect(probe.error == nil)
    }
}
