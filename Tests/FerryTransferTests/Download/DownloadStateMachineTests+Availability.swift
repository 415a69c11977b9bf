import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

extension DownloadStateMachineTests {
    @Test(arguments: [408, 429, 500, 502, 503, 504, 599])
    func `an unavailable server does not cost the bytes that are held`(status: Int) {
        var machine = machine(unavailable: .fail)
        _ = machine.after { $0.start(holding: Self.held) }
        let effects = answer(
            &machine,
            Self.head(status, [("Retry-After", "7"), ("Content-Length", "5")])
        )
        #expect(effects.first == .cancelLoads)
        #expect(failure(effects)?.code == .serverUnavailable)
        #expect(failure(effects)?.retryAfter == 7)
        #expect(machine.receivedByteCount == 40)
    }

    @Test func `an unavailable server is waited for without bytes only if it says when`() {
        var asked = machine(unavailable: .fail)
        _ = asked.after { $0.start(holding: nil) }
        let date = "Sun, 06 Nov 1994 08:50:37 GMT"
        let effects = answer(&asked, Self.head(503, [("Retry-After", date)]))
        #expect(failure(effects)?.retryAfter == 60)
        var silent = machine(unavailable: .fail)
        _ = silent.after { $0.start(holding: nil) }
        #expect(answer(&silent, Self.head(503)).last == .takeBody)
    }

    @Test func `an unavailable server after a refusal does not cost the bytes either`() {
        var machine = machine(unavailable: .fail)
        _ = machine.after { $0.start(holding: Self.held) }
        _ = answer(&machine, Self.part("bytes 41-99/100"))
        let effects = answer(&machine, Self.head(503, []))
        #expect(failure(effects)?.code == .serverUnavailable)
        #expect(failure(effects)?.retryAfter == nil)
    }

    @Test(arguments: [408, 429, 503, 511, 407])
    func `KEEP-2: what passes is waited for with bytes, even if its answer may be had without`(
        status: Int
    ) {
        var machine = machine(unavailable: .deliver)
        _ = machine.after { $0.start(holding: Self.held) }
        let effects = answer(&machine, Self.head(status, [("Retry-After", "7")]))
        #expect(failure(effects)?.code == .serverUnavailable)
        #expect(failure(effects)?.retryAfter == 7)
        #expect(machine.receivedByteCount == 40)
        var empty = self.machine(unavailable: .deliver)
        _ = empty.after { $0.start(holding: nil) }
        let head = Self.head(status, [("Retry-After", "7")])
        #expect(answer(&empty, head).contains(.beginFile(Self.version(nil, total: nil))))
    }

    @Test(
        arguments: [
            400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 414, 418, 421, 426, 451, 499,
        ],
        [Download.UnavailableResponses.fail, .deliver]
    )
    func `KEEP-2: a refusal of the rest keeps the bytes, and says that the link has expired`(
        status: Int,
        unavailable: Download.UnavailableResponses
    ) {
        var machine = machine(unavailable: unavailable)
        _ = machine.after { $0.start(holding: Self.held) }
        let head = Self.head(status)
        let effects = answer(&machine, head)
        #expect(effects.prefix(2) == [.reportResponse(head, Self.request), .cancelLoads])
        #expect(failure(effects)?.code == .linkExpired)
        #expect(machine.receivedByteCount == 40)
    }

    @Test(arguments: [400, 403, 404, 410, 418])
    func `BG-19: without bytes a refusal is the answer`(status: Int) {
        var machine = machine(unavailable: .fail)
        _ = machine.after { $0.start(holding: nil) }
        let effects = answer(&machine, Self.head(status))
        #expect(effects.contains(.beginFile(Self.version(nil))))
        #expect(effects.last == .takeBody)
    }

    @Test(arguments: [501, 505])
    func `KEEP-2: a status that the app does not wait for is a refusal`(status: Int) {
        var machine = Machine(
            request: Self.request,
            configuration: Download.Configuration(retriedStatuses: [503])
        )
        _ = machine.after { $0.start(holding: Self.held) }
        #expect(failure(answer(&machine, Self.head(status)))?.code == .linkExpired)
    }

    @Test func `KEEP-2: a refusal of the whole, after one of the rest, keeps the bytes as well`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        #expect(answer(&machine, Self.head(416, [])).last == Self.whole())
        #expect(failure(answer(&machine, Self.head(403)))?.code == .linkExpired)
        #expect(machine.receivedByteCount == 40)
    }
}
