import FerryHTTP
import Testing

@testable import FerryTransfer

extension DownloadStateMachineTests {
    @Test(arguments: [408, 429, 500, 502, 503, 504, 599])
    func `an unavailable server does not cost the bytes that are held`(status: Int) {
        var machine = machine(unavailable: .fail)
        _ = machine.start(holding: Self.held)
        let effects = answer(
            &machine,
            Self.head(status, [("Retry-After", "7"), ("Content-Length", "5")])
        )
        #expect(effects.first == .cancelLoad)
        #expect(failure(effects)?.code == .serverUnavailable)
        #expect(failure(effects)?.retryAfter == 7)
        #expect(machine.receivedByteCount == 40)
    }

    @Test func `an unavailable server is waited for without bytes only if it says when`() {
        var asked = machine(unavailable: .fail)
        _ = asked.start(holding: nil)
        let date = "Sun, 06 Nov 1994 08:50:37 GMT"
        let effects = answer(&asked, Self.head(503, [("Retry-After", date)]))
        #expect(failure(effects)?.retryAfter == 60)
        var silent = machine(unavailable: .fail)
        _ = silent.start(holding: nil)
        #expect(answer(&silent, Self.head(503)).last == .takeBody)
    }

    @Test func `an unavailable server after a refusal does not cost the bytes either`() {
        var machine = machine(unavailable: .fail)
        _ = machine.start(holding: Self.held)
        _ = answer(&machine, Self.part("bytes 41-99/100"))
        let effects = answer(&machine, Self.head(503, []))
        #expect(failure(effects)?.code == .serverUnavailable)
        #expect(failure(effects)?.retryAfter == nil)
    }

    @Test(arguments: [408, 429, 503])
    func `the answer of an unavailable server can be had`(status: Int) {
        var machine = machine(unavailable: .deliver)
        _ = machine.start(holding: Self.held)
        let head = Self.head(status, [("Retry-After", "7")])
        #expect(answer(&machine, head).contains(.beginFile(Self.version(nil, total: nil))))
    }

    @Test(arguments: [400, 401, 403, 404, 410, 418])
    func `BG-19: another refusal is the answer, also to a resumption`(status: Int) {
        var machine = machine(unavailable: .fail)
        _ = machine.start(holding: Self.held)
        let effects = answer(&machine, Self.head(status))
        #expect(effects.contains(.beginFile(Self.version(nil))))
        #expect(effects.last == .takeBody)
    }
}
