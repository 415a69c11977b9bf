import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(5))) struct HTTPExchangeStateMachineTests {
    typealias Machine = HTTPExchange.StateMachine

    let start = ContinuousClock.now

    private func machine(
        idleTimeout: Duration = .seconds(60),
        isIdempotent: Bool = true,
        hasResponseBody: Bool = true,
        accepting codings: String = "identity"
    ) -> Machine {
        Machine(
            url: "http://a/",
            maximumHeaderByteCount: 1000,
            idleTimeout: idleTimeout,
            hasResponseBody: hasResponseBody,
            isIdempotent: isIdempotent,
            acceptedCodings: AcceptedCodings([
                HTTPField(name: "Accept-Encoding", value: codings)
            ]),
            now: start
        )
    }

    private func receive(_ line: String, in machine: inout Machine) -> Machine.Reception {
        Array(line.utf8).withUnsafeBytes { machine.receivedHeaderLine($0, at: start) }
    }

    /// A machine that has handed over its head, and has had this answer.
    private func answered(_ disposition: HTTPBodyDisposition) -> Machine {
        var machine = machine()
        _ = receive("HTTP/1.1 200 OK\r\n", in: &machine)
        _ = receive("\r\n", in: &machine)
        _ = machine.answered(disposition)
        return machine
    }

    /// A machine that delivers a packed body.
    private func unpacking() -> Machine {
        var machine = machine(accepting: "gzip")
        _ = receive("HTTP/1.1 200 OK\r\n", in: &machine)
        _ = receive("Content-Encoding: gzip\r\n", in: &machine)
        _ = receive("\r\n", in: &machine)
        _ = machine.answered(.deliver)
        return machine
    }

    private func code(_ effects: [Machine.Effect]) -> HTTPError.Code? {
        guard effects.count == 1, case .finish(let error?) = effects[0] else { return nil }
        return error.code
    }

    static let lost = HTTPError(code: .connectionLost, message: "test")

    // MARK: Kept connections

    private func head(_ lines: String..., in machine: inout Machine) -> Machine.Reception {
        for line in lines { _ = receive(line + "\r\n", in: &machine) }
        return receive("\r\n", in: &machine)
    }

    @Test func `RFC 9113 §8.7: what an HTTP/2 server has refused may be sent again once`() {
        var machine = machine(isIdempotent: false)
        let first = machine.sends(onKept: nil)
        machine.refused()
        let second = machine.sends(onKept: true)
        let third = machine.sends(onKept: nil)
        #expect([first, second, third] == [true, true, false])
    }

    @Test(arguments: [true, false, nil])
    func `RFC 9110 §9.2.2: a POST that may have arrived goes out by no other connection`(
        isSilent: Bool?
    ) {
        var machine = machine(isIdempotent: false)
        let isSent = machine.sends(onKept: true)
        #expect(isSent)
        let isSentAgain = machine.sends(onKept: isSilent)
        #expect(!isSentAgain)
        #expect(machine.after { $0.completed(Self.lost) } != [.startAgain(orFail: nil)])
    }

    @Test func `a proxy's answer for another tunnel is read like the one for the first`() {
        var machine = machine()
        func tunnel(_ line: String) -> Machine.Reception {
            Array((line + "\r\n").utf8).withUnsafeBytes {
                machine.receivedTunnelLine($0, at: start)
            }
        }
        #expect(tunnel("HTTP/1.1 200 Connection established") == .skip)
        #expect(tunnel("") == .skip)
        #expect(tunnel("HTTP/1.1 407 Proxy Authentication Required") == .skip)
        guard case .deliverHead(let head) = tunnel("") else {
            Issue.record("the second answer was not read")
            return
        }
        #expect(head.status == 407)
    }

    @Test func `SEC-1: a request does not leave by a connection that has something to say`() {
        var machine = machine()
        let isUsed = machine.sends(onKept: false)
        #expect(!isUsed)
        #expect(machine.after { $0.completed(Self.lost) } == [.startAgain(orFail: nil)])
        // What comes by the new one is its response.
        let response = HTTPResponseHead(status: 408, fields: [], url: "http://a/")
        #expect(head("HTTP/1.1 408 Late", in: &machine) == .deliverHead(response))
    }

    @Test func `SEC-1: a 408 by a kept connection has the request repeated, once`() {
        var machine = machine()
        let isUsed = machine.sends(onKept: true)
        #expect(isUsed)
        #expect(head("HTTP/1.1 408 Late", in: &machine) == .stop)
        #expect(machine.receivedBytes(count: 1, at: start) == .stop)
        #expect(machine.after { $0.completed(Self.lost) } == [.startAgain(orFail: nil)])
        let response = HTTPResponseHead(status: 408, fields: [], url: "http://a/")
        #expect(head("HTTP/1.1 408 Late", in: &machine) == .deliverHead(response))
    }

    @Test func `SEC-1: a 408 of HTTP 2, and any other status, is the response`() {
        for (line, version, status) in [
            ("HTTP/2 408 Late", "HTTP/2", 408), ("HTTP/1.1 503 Busy", "HTTP/1.1", 503),
        ] {
            var machine = machine()
            _ = machine.sends(onKept: true)
            let response = HTTPResponseHead(
                status: status,
                version: version,
                fields: [],
                url: "http://a/"
            )
            #expect(head(line, in: &machine) == .deliverHead(response))
        }
    }

    @Test func `SEC-1: an exchange that is cancelled meanwhile is not started again`() {
        var machine = machine()
        _ = machine.sends(onKept: false)
        #expect(machine.after { $0.cancel() } == [.withdraw])
        #expect(machine.after { $0.completed(Self.lost) } == [])
    }

    @Test(arguments: [
        ([], false), (["Transfer-Encoding: identity"], false), (["Content-Length: 5"], true),
        (["Transfer-Encoding: identity, chunked"], true), (["Transfer-Encoding: Chunked"], true),
    ])
    func `SEC-7: a cut is the end of a body that says itself how long it is, and of no other`(
        fields: [String],
        isWhole: Bool
    ) {
        var machine = machine()
        _ = receive("HTTP/1.1 200 OK\r\n", in: &machine)
        for field in fields { _ = receive(field + "\r\n", in: &machine) }
        _ = receive("\r\n", in: &machine)
        _ = machine.answered(.deliver)
        let effects = machine.after { $0.completed(nil, isCut: true) }
        if isWhole {
            #expect(effects == [.finish(nil)])
        } else {
            #expect(code(effects) == .connectionLost)
        }
    }

    @Test(arguments: [204, 304])
    func `a response without a body is whole however its connection ends`(status: Int) {
        var machine = machine()
        _ = head("HTTP/1.1 \(status) Nothing", in: &machine)
        _ = machine.answered(.deliver)
        #expect(machine.after { $0.completed(nil, isCut: true) } == [.finish(nil)])
    }

    @Test func `the answer to HEAD is whole however its connection ends`() {
        var machine = Machine(
            url: "http://a/",
            maximumHeaderByteCount: 1000,
            idleTimeout: .seconds(60),
            hasResponseBody: false,
            now: start
        )
        _ = head("HTTP/1.1 200 OK", in: &machine)
        _ = machine.answered(.deliver)
        #expect(machine.after { $0.completed(nil, isCut: true) } == [.finish(nil)])
    }

    // MARK: Order

    @Test func `a head, bytes and an end are handed over`() {
        var machine = machine()
        #expect(receive("HTTP/1.1 200 OK\r\n", in: &machine) == .skip)
        let head = HTTPResponseHead(status: 200, fields: [], url: "http://a/")
        #expect(receive("\r\n", in: &machine) == .deliverHead(head))
        #expect(machine.answered(.deliver) == true)
        #expect(machine.receivedBytes(count: 1, at: start) == .deliverBytes)
        #expect(machine.answered(.deliver) == true)
        #expect(machine.after { $0.completed(nil) } == [.finish(nil)])
    }

    @Test func `the end comes once`() {
        var machine = answered(.deliver)
        #expect(machine.after { $0.completed(Self.lost) } == [.finish(Self.lost)])
        #expect(machine.after { $0.completed(nil) } == [])
        #expect(machine.after { $0.cancel() } == [])
        #expect(machine.after { $0.idleTimerFired(at: start + .seconds(1000)) } == [])
    }

    @Test func `a body before a head is refused`() {
        var machine = machine()
        #expect(machine.receivedBytes(count: 1, at: start) == .stop)
        #expect(code(machine.after { $0.completed(Self.lost) }) == .badServerResponse)
    }

    @Test func `a success without a head is none`() {
        var machine = machine()
        #expect(code(machine.after { $0.completed(nil) }) == .connectionLost)
    }

    @Test func `a header that is refused is the cause, not what libcurl makes of it`() {
        var machine = machine()
        #expect(receive("nonsense\r\n", in: &machine) == .stop)
        #expect(receive("\r\n", in: &machine) == .stop)
        let writeError = HTTPError(code: .writeFailed, message: "test")
        #expect(code(machine.after { $0.completed(writeError) }) == .badServerResponse)
    }

    // MARK: Dispositions

    @Test func `a discarded body is skipped up to its end`() {
        var machine = answered(.discard)
        #expect(machine.receivedBytes(count: 1, at: start) == .skip)
        #expect(machine.after { $0.completed(nil) } == [.finish(nil)])
    }

    @Test func `a refused response ends as aborted`() {
        var machine = answered(.cancel)
        #expect(machine.receivedBytes(count: 1, at: start) == .stop)
        #expect(code(machine.after { $0.completed(Self.lost) }) == .aborted)
    }

    @Test(arguments: [HTTPBodyDisposition.deliver, .discard, .cancel])
    func `a cancel inside the handler's call outdoes its answer`(disposition: HTTPBodyDisposition) {
        var machine = answered(.deliver)
        #expect(machine.after { $0.cancel() } == [.withdraw])
        #expect(machine.answered(disposition) == false)
        #expect(machine.receivedBytes(count: 1, at: start) == .stop)
        #expect(machine.after { $0.completed(nil) } == [])
    }

    // MARK: Pauses

    @Test func `bytes of a paused exchange are held, and released once`() {
        var machine = answered(.deliver)
        machine.pause()
        #expect(machine.receivedBytes(count: 1, at: start) == .hold)
        #expect(machine.released() == false)
        #expect(machine.after { $0.resume(at: start) } == [.release])
        #expect(machine.released() == true)
        #expect(machine.released() == false)
        #expect(machine.receivedBytes(count: 1, at: start) == .deliverBytes)
    }

    // MARK: Codings

    @Test func `a packed body lets others have their turn, a plain one need not`() {
        let turn = Machine.decodedByteCountPerTurn
        var packed = unpacking()
        for _ in 0..<3 {
            #expect(packed.receivedBytes(count: 1, at: start) == .decode)
            #expect(packed.decoded(turn, delivered: 10) == .decode)
            #expect(packed.decoded(1, delivered: 0) == .holdForATurn)
            #expect(packed.released() == true)
        }
        #expect(packed.receivedByteCount == 30)
        var plain = answered(.deliver)
        #expect(plain.receivedBytes(count: turn, at: start) == .deliverBytes)
        #expect(plain.receivedBytes(count: 1, at: start) == .deliverBytes)
    }

    @Test func `a pause between two steps of decoding holds the rest`() {
        var machine = unpacking()
        _ = machine.receivedBytes(count: 1, at: start)
        machine.pause()
        #expect(machine.decoded(5, delivered: 5) == .hold)
        #expect(machine.after { $0.resume(at: start) } == [.release])
        #expect(machine.released() == true)
        _ = machine.answered(.discard)
        #expect(machine.decoded(5, delivered: 5) == .skip)
    }

    @Test(arguments: [
        ("gzip", "gzip", 200, true, ["gzip"]), ("gzip", "gzip", 500, true, ["gzip"]),
        ("gzip, br", "br, gzip", 200, true, ["br", "gzip"]), ("identity", "gzip", 200, true, []),
        ("gzip", "br", 200, true, []), ("gzip", "gzip, br", 200, true, []),
        ("gzip", "x-secret", 200, true, []), ("gzip", "gzip", 206, true, []),
        ("gzip", "gzip", 204, true, []), ("gzip", "gzip", 304, true, []),
        ("gzip", "gzip", 200, false, []),
    ])
    func `KEEP-4: what was asked for is decoded, and nothing else`(
        asked: String,
        coding: String,
        status: Int,
        hasBody: Bool,
        decoded: [String]
    ) {
        var machine = machine(hasResponseBody: hasBody, accepting: asked)
        _ = receive("HTTP/1.1 \(status) Status\r\n", in: &machine)
        _ = receive("Content-Encoding: \(coding)\r\n", in: &machine)
        guard case .deliverHead(let head) = receive("\r\n", in: &machine) else {
            Issue.record("no head")
            return
        }
        #expect(machine.codings.map(\.rawValue) == decoded)
        #expect(head.isDecoded == !decoded.isEmpty)
    }

    @Test(
        arguments: [
            (DecodingProgress.complete, [], nil), (.begun, [], .bodyTooShort),
            (.begun, ["Content-Length: 5"], .bodyTooShort), (.complete, ["Content-Length: 5"], nil),
            (.nothing, ["Content-Length: 0"], nil), (.nothing, ["Transfer-Encoding: chunked"], nil),
            (.nothing, [], .bodyTooShort),
        ] as [(DecodingProgress, [String], HTTPError.Code?)]
    )
    func `SEC-12: a body without the end of its coding is too short`(
        progress: DecodingProgress,
        fields: [String],
        expected: HTTPError.Code?
    ) {
        var machine = machine(accepting: "gzip")
        _ = receive("HTTP/1.1 200 OK\r\n", in: &machine)
        for field in fields + ["Content-Encoding: gzip"] {
            _ = receive(field + "\r\n", in: &machine)
        }
        _ = receive("\r\n", in: &machine)
        _ = machine.answered(.deliver)
        let effects = machine.after { $0.completed(nil, decoding: progress) }
        #expect(code(effects) == expected)
        #expect(expected != nil || effects == [.finish(nil)])
    }

    @Test func `a failure of decoding is the exchange's`() {
        var machine = unpacking()
        _ = machine.receivedBytes(count: 1, at: start)
        machine.decodingFailed(HTTPError(code: .cannotDecodeContent, message: "test"))
        #expect(machine.receivedBytes(count: 1, at: start) == .stop)
        let libcurls = HTTPError(code: .writeFailed, message: "test")
        #expect(code(machine.after { $0.completed(libcurls) }) == .cannotDecodeContent)
    }

    @Test func `a pause before the release takes it back`() {
        var machine = answered(.deliver)
        machine.pause()
        _ = machine.receivedBytes(count: 1, at: start)
        #expect(machine.after { $0.resume(at: start) } == [.release])
        machine.pause()
        #expect(machine.released() == false)
        #expect(machine.after { $0.resume(at: start) } == [.release])
        #expect(machine.released() == true)
    }

    @Test func `a resume without a pause, or without anything held, does nothing`() {
        var machine = answered(.deliver)
        #expect(machine.after { $0.resume(at: start) } == [])
        machine.pause()
        #expect(machine.after { $0.resume(at: start) } == [])
    }

    @Test func `a release after the end does nothing`() {
        var machine = answered(.deliver)
        machine.pause()
        _ = machine.receivedBytes(count: 1, at: start)
        _ = machine.after { $0.resume(at: start) }
        _ = machine.after { $0.cancel() }
        #expect(machine.released() == false)
        #expect(machine.after { $0.resume(at: start) } == [])
    }

    // MARK: Idle time

    @Test func `the idle time starts with the work, once`() {
        var machine = machine(idleTimeout: .seconds(10))
        #expect(machine.after { $0.began(at: start) } == [.armIdleTimer(after: .seconds(10))])
        #expect(machine.after { $0.began(at: start) } == [])
    }

    @Test func `a timer that fires early is armed for the rest`() {
        var machine = machine(idleTimeout: .seconds(10))
        _ = machine.after { $0.began(at: start) }
        machine.sentBytes(at: start + .seconds(7))
        #expect(
            machine.after { $0.idleTimerFired(at: start + .seconds(10)) } == [
                .armIdleTimer(after: .seconds(7))
            ]
        )
    }

    @Test func `whatever comes or goes keeps an exchange alive`() {
        let line = Array("X: y\r\n".utf8)
        let events: [(inout Machine, ContinuousClock.Instant) -> Void] = [
            { $0.began(at: $1) },
            { $0.sentBytes(at: $1) },
            { machine, now in
                _ = line.withUnsafeBytes { machine.receivedHeaderLine($0, at: now) }
            },
            { _ = $0.receivedBytes(count: 1, at: $1) },
        ]
        for event in events {
            var machine = answered(.deliver)
            _ = machine.after { $0.began(at: start) }
            event(&machine, start + .seconds(40))
            #expect(
                machine.after { $0.idleTimerFired(at: start + .seconds(60)) }
                    == [.armIdleTimer(after: .seconds(40))]
            )
        }
    }

    @Test func `time is up after the idle time and one more turn of the loop`() {
        var machine = machine(idleTimeout: .seconds(10))
        _ = machine.after { $0.began(at: start) }
        #expect(
            machine.after { $0.idleTimerFired(at: start + .seconds(10)) } == [
                .armIdleTimer(after: .zero)
            ]
        )
        let effects = machine.after { $0.idleTimerFired(at: start + .seconds(10)) }
        #expect(effects.first == .withdraw)
        #expect(code(Array(effects.dropFirst())) == .timedOut)
        #expect(machine.after { $0.completed(nil) } == [])
    }

    @Test func `bytes that come in that turn save the exchange`() {
        var machine = machine(idleTimeout: .seconds(10))
        _ = machine.after { $0.began(at: start) }
        let late = start + .seconds(3600)
        #expect(machine.after { $0.idleTimerFired(at: late) } == [.armIdleTimer(after: .zero)])
        machine.sentBytes(at: late)
        #expect(
            machine.after { $0.idleTimerFired(at: late) } == [.armIdleTimer(after: .seconds(10))]
        )
        #expect(
            machine.after { $0.idleTimerFired(at: late + .seconds(10)) } == [
                .armIdleTimer(after: .zero)
            ]
        )
    }

    @Test func `a pause stops the clock, a resume starts it anew`() {
        var machine = machine(idleTimeout: .seconds(10))
        _ = machine.after { $0.began(at: start) }
        machine.pause()
        #expect(machine.after { $0.idleTimerFired(at: start + .seconds(10)) } == [])
        let later = start + .seconds(100)
        #expect(machine.after { $0.resume(at: later) } == [.armIdleTimer(after: .seconds(10))])
    }

    @Test func `a short pause leaves the timer as it is`() {
        var machine = machine(idleTimeout: .seconds(10))
        _ = machine.after { $0.began(at: start) }
        machine.pause()
        #expect(machine.after { $0.resume(at: start + .seconds(4)) } == [])
        #expect(
            machine.after { $0.idleTimerFired(at: start + .seconds(10)) } == [
                .armIdleTimer(after: .seconds(4))
            ]
        )
    }

    @Test func `no idle time, no timer`() {
        var machine = machine(idleTimeout: .zero)
        #expect(machine.after { $0.began(at: start) } == [])
        machine.pause()
        #expect(machine.after { $0.resume(at: start) } == [])
    }

    @Test func `every end takes the timer back`() {
        var cancelled = machine()
        _ = cancelled.after { $0.began(at: start) }
        #expect(cancelled.after { $0.cancel() } == [.cancelIdleTimer, .withdraw])
        var completed = machine()
        _ = completed.after { $0.began(at: start) }
        #expect(
            completed.after { $0.completed(Self.lost) } == [.cancelIdleTimer, .finish(Self.lost)]
        )
    }
}
