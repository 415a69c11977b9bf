import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryHTTP

/// What HTTP/2 says about requests that were not processed, and responses before a request's end.
@Suite(.timeLimit(.minutes(5))) struct HTTP2StateMachineTests {
    typealias Machine = HTTPExchange.StateMachine

    let start = ContinuousClock.now

    private func machine(isIdempotent: Bool = false, hasBody: Bool = false) -> Machine {
        Machine(
            url: "https://a/",
            maximumHeaderByteCount: 1000,
            idleTimeout: .zero,
            isIdempotent: isIdempotent,
            hasBody: hasBody,
            connectTimeout: .seconds(15),
            now: start
        )
    }

    private func receive(_ lines: String..., in machine: inout Machine) {
        for line in lines + [""] {
            _ = Array("\(line)\r\n".utf8).withUnsafeBytes {
                machine.receivedHeaderLine($0, at: start)
            }
        }
    }

    private static let lost = HTTPError(code: .connectionLost, message: "test")

    // MARK: Requests that were not processed

    @Test(arguments: [true, false])
    func `HTTP-2: what a server has not processed is sent again, whatever the method`(
        isIdempotent: Bool
    ) {
        var machine = machine(isIdempotent: isIdempotent)
        for _ in 1...5 {
            _ = machine.sends(onKept: nil, isMultiplexed: true)
            machine.refused()
            #expect(machine.after { $0.completed(Self.lost) } == [.startAgain(orFail: nil)])
        }
        _ = machine.sends(onKept: nil, isMultiplexed: true)
        machine.refused()
        #expect(machine.after { $0.completed(Self.lost) } == [.finish(Self.lost)])
    }

    @Test(arguments: [true, false])
    func `HTTP-2: what may have been processed is sent again once if it is idempotent`(
        isIdempotent: Bool
    ) {
        var machine = machine(isIdempotent: isIdempotent)
        _ = machine.sends(onKept: true, isMultiplexed: true)
        let first = machine.after { $0.completed(Self.lost) }
        #expect(first == (isIdempotent ? [.startAgain(orFail: Self.lost)] : [.finish(Self.lost)]))
        guard isIdempotent else { return }
        _ = machine.sends(onKept: nil, isMultiplexed: true)
        #expect(machine.after { $0.completed(Self.lost) } == [.finish(Self.lost)])
    }

    @Test func `HTTP-2: a proof is for one connection`() {
        var machine = machine()
        _ = machine.sends(onKept: nil, isMultiplexed: true)
        machine.refused()
        let isSent = machine.sends(onKept: nil, isMultiplexed: true)
        #expect(isSent)
        #expect(machine.after { $0.completed(Self.lost) } == [.finish(Self.lost)])
    }

    /// A connection of loopback.
    private static func connection(port: UInt16) -> InternetConnection {
        InternetConnection(
            local: .init(address: "127.0.0.1", port: port),
            remote: .init(address: "127.0.0.1", port: 443)
        )
    }

    @Test(
        arguments: [
            (1, 0, 1, true), (3, 1, 1, true), (3, 2, 1, true), (3, 3, 1, false), (3, 5, 1, false),
            (3, 1, 2, false), (nil, 0, 1, false),
        ] as [(UInt32?, UInt32, UInt16, Bool)]
    )
    @LoopActor
    func `HTTP-2: a server that leaves has not processed what is above its last stream alone`(
        stream: UInt32?,
        last: UInt32,
        port: UInt16,
        isRefused: Bool
    ) throws {
        let client = try HTTPClient.local()
        let exchange = HTTPExchange(
            request: HTTPRequest(url: "https://a/", method: "POST"),
            body: nil,
            handler: ExchangeProbe(),
            client: client
        )
        exchange.metrics.connection = Self.connection(port: 1)
        _ = exchange.machine.sends(onKept: nil, isMultiplexed: true)
        if let stream { exchange.logged(.stream(stream)) }
        exchange.serverLeft(Self.connection(port: port), after: last)
        let effect: Machine.Effect = isRefused ? .startAgain(orFail: nil) : .finish(Self.lost)
        #expect(exchange.machine.after { $0.completed(Self.lost) } == [effect])
    }

    @Test(arguments: [HTTPError.Code.timedOut, .bodyUnreadable, .aborted, .badServerResponse])
    func `HTTP-2: another failure is not repeated`(code: HTTPError.Code) {
        var machine = machine(isIdempotent: true)
        _ = machine.sends(onKept: nil, isMultiplexed: true)
        let error = HTTPError(code: code, message: "test")
        #expect(machine.after { $0.completed(error) } == [.finish(error)])
    }

    @Test func `HTTP-2: a request whose answer has begun is not repeated`() {
        var machine = machine(isIdempotent: true)
        _ = machine.sends(onKept: nil, isMultiplexed: true)
        _ = Array("HTTP/2 200\r\n".utf8).withUnsafeBytes {
            machine.receivedHeaderLine($0, at: start)
        }
        #expect(machine.after { $0.completed(Self.lost) } == [.finish(Self.lost)])
    }

    @Test func `HTTP-1: a server without HTTP/1.1 is asked by another protocol, once`() {
        var machine = machine()
        let refused = HTTPError(code: .secureConnectionFailed, message: "test")
        #expect(
            machine.after { $0.completed(refused, refusesHTTP1: true) } == [
                .startAgain(orFail: refused)
            ]
        )
        #expect(machine.after { $0.completed(refused, refusesHTTP1: true) } == [.finish(refused)])
    }

    // MARK: Responses before the end of a request

    /// Heads, how many bytes of the body follow, and whether that is all.
    private static let responses: [([String], Int, Bool)] = [
        (["HTTP/2 200", "Content-Length: 5"], 5, true),
        (["HTTP/2 200", "Content-Length: 5"], 4, false),
        (["HTTP/2 200", "Content-Length: 0"], 0, true),
        (["HTTP/2 204"], 0, true),
        (["HTTP/2 304", "Content-Length: 5"], 0, true),
        (["HTTP/2 200"], 5, false),
        (["HTTP/2 500", "Content-Length: 5"], 5, true),
        (["HTTP/2 200", "Content-Length: 5", "Content-Encoding: gzip"], 5, true),
    ]

    @Test(arguments: responses)
    func `HTTP-1: a response that is whole counts, though sending fails`(
        lines: [String],
        byteCount: Int,
        isWhole: Bool
    ) {
        var machine = machine()
        _ = machine.sends(onKept: nil, isMultiplexed: true)
        for line in lines { receiveLine(line, in: &machine) }
        receive(in: &machine)
        _ = machine.answered(.deliver)
        if byteCount > 0 { _ = machine.receivedBytes(count: byteCount, at: start) }
        #expect(machine.after { $0.completed(Self.lost) } == [.finish(isWhole ? nil : Self.lost)])
    }

    private func receiveLine(_ line: String, in machine: inout Machine) {
        _ = Array("\(line)\r\n".utf8).withUnsafeBytes { machine.receivedHeaderLine($0, at: start) }
    }

    @Test(arguments: [true, false], [HTTPBodyDisposition.deliver, .discard])
    func `HTTP-1: a long body is not waited for once the response is whole`(
        hasBody: Bool,
        disposition: HTTPBodyDisposition
    ) {
        var machine = machine(hasBody: hasBody)
        _ = machine.sends(onKept: nil, isMultiplexed: true)
        receive("HTTP/2 200", "Content-Length: 5", in: &machine)
        let takesBody = machine.answered(disposition)
        #expect(takesBody)
        let reception = machine.receivedBytes(count: 5, at: start)
        let goesOn = disposition == .deliver ? machine.answered(.deliver) : reception != .stop
        #expect(goesOn != hasBody)
        guard hasBody else { return }
        let failed = HTTPError(code: .writeFailed, message: "test")
        #expect(machine.after { $0.completed(failed) } == [.finish(nil)])
    }

    // MARK: Connecting

    @Test func `HTTP-5: a connection has its time, once more after a busy turn of the loop`() {
        var machine = machine()
        #expect(
            machine.after { _ = $0.beganConnecting() } == [.armConnectTimer(after: .seconds(15))]
        )
        #expect(machine.after { _ = $0.beganConnecting() } == [])
        #expect(machine.after { $0.connectTimerFired() } == [.armConnectTimer(after: .zero)])
        let effects = machine.after { $0.connectTimerFired() }
        #expect(effects.first == .withdraw)
        guard case .finish(let error?) = effects.last else {
            Issue.record("It does not finish: \(effects)")
            return
        }
        #expect(error.code == .timedOut)
    }

    @Test
    func `HTTP-5: a connection that was made in time ends the timer, and the next has its own`() {
        var machine = machine()
        _ = machine.after { _ = $0.beganConnecting() }
        #expect(machine.after { $0.connected() } == [.cancelConnectTimer])
        #expect(machine.after { $0.connected() } == [])
        #expect(machine.after { $0.connectTimerFired() } == [])
        #expect(
            machine.after { _ = $0.beganConnecting() } == [.armConnectTimer(after: .seconds(15))]
        )
        #expect(machine.after { $0.cancel() } == [.cancelConnectTimer, .withdraw])
    }

    // MARK: libcurl's log

    @Test(arguments: [
        ("Using Stream ID: 7 (easy handle 0x5558bd3dc710)\n", CurlLogLine.stream(7)),
        ("[HTTP/2] [9] OPENED stream for https://a/\n", .stream(9)),
        ("recveived GOAWAY, error=0, last_stream=199\n", .goAway(lastStream: 199)),
        ("received GOAWAY, error=11, last_stream=0\n", .goAway(lastStream: 0)),
        ("REFUSED_STREAM, retrying a fresh connect\n", .refusal),
        ("Downgrades to HTTP/1.1\n", .refusal),
        ("Excess found: excess = 3 url = / (zero-length body)\n", .excess),
        ("Leftovers after chunking: 5 bytes\n", .excess),
        ("recveived GOAWAY, error=0, last_stream=\n", nil),
        ("Using Stream ID: x\n", nil),
        (" subject: CN=recveived GOAWAY, error=0, last_stream=1\n", nil),
        ("h2h3 [x: recveived GOAWAY, error=0, last_stream=1]\n", nil),
        ("", nil),
    ])
    func `HTTP-2: lines of the log`(text: String, line: CurlLogLine?) {
        #expect(Array(text.utf8).withUnsafeBytes { CurlLogLine($0) } == line)
    }
}
