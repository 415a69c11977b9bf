import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct DownloadStateMachineTests {
    typealias Machine = Download.StateMachine
    typealias Effect = Machine.Effect

    static let url = "http://host/file"
    static let request = TransferRequest(
        url: url,
        fields: [HTTPField(name: "Authorization", value: "x")]
    )
    static let now = HTTPDate(secondsSince1970: 784_111_777)
    static let held = Machine.Held(byteCount: 40, version: version())
    static let resumption = Resumption(byteCount: 40, version: version())
    static let lost = TransferError(code: .connectionLost, message: "lost")

    static func version(
        _ tag: String? = "\"a\"",
        total: Int64? = 100,
        url: String = url
    ) -> ResourceVersion {
        ResourceVersion(validator: tag.map { .strongETag($0) }, totalByteCount: total, url: url)
    }

    static func head(
        _ status: Int = 200,
        _ fields: [(String, String)] = [("ETag", "\"a\""), ("Content-Length", "100")],
        url: String = url
    ) -> HTTPResponseHead {
        HTTPResponseHead(
            status: status,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: url
        )
    }

    static func part(_ range: String, tag: String = "\"a\"") -> HTTPResponseHead {
        head(206, [("ETag", tag), ("Content-Range", range)])
    }

    static func whole(_ transfer: TransferRequest = request) -> Effect {
        .send(Machine.Request(transfer: transfer))
    }

    static func rest(from resumption: Resumption?, _ transfer: TransferRequest = request) -> Effect
    {
        .send(Machine.Request(transfer: transfer, resumption: resumption))
    }

    func machine(
        _ request: TransferRequest = request,
        unavailable: Download.UnavailableResponses = .deliver,
        announces: Bool = false
    ) -> Machine {
        Machine(
            request: request,
            configuration: Download.Configuration(
                unavailableResponses: unavailable,
                announcesResumption: announces
            )
        )
    }

    /// A machine that has asked for the rest after so many fruitless attempts.
    func resuming(after fruitless: Int) -> (Machine, [Effect]) {
        var machine = machine()
        var held = Self.held
        held.fruitlessResumptionCount = fruitless
        let effects = machine.after { $0.start(holding: held) }
        return (machine, effects)
    }

    func answer(
        _ machine: inout Machine,
        _ head: HTTPResponseHead,
        to request: TransferRequest? = nil
    ) -> [Effect] {
        machine.after { $0.receivedHead(head, to: request ?? $0.currentRequest, now: Self.now) }
    }

    func failure(_ effects: [Effect]) -> TransferError? {
        if case .fail(let error)? = effects.last { error } else { nil }
    }

    @Test func `a whole body is written and finished`() {
        var machine = machine()
        #expect(machine.after { $0.start(holding: nil) } == [Self.whole()])
        #expect(
            answer(&machine, Self.head()) == [
                .beginFile(Self.version()), .reportResponse(Self.head(), Self.request), .takeBody,
            ]
        )
        #expect(machine.after { $0.receivedBytes(count: 60) } == [.write(dropping: 0)])
        #expect(
            machine.after { $0.wrote(count: 60) } == [.reportProgress(received: 60, total: 100)]
        )
        #expect(machine.after { $0.receivedBytes(count: 40) } == [.write(dropping: 0)])
        #expect(
            machine.after { $0.wrote(count: 40) } == [.reportProgress(received: 100, total: 100)]
        )
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
        #expect(
            machine.after { $0.synchronized() } == [
                .finish(
                    DownloadResult(
                        response: Self.head(),
                        currentRequest: Self.request,
                        byteCount: 100
                    )
                )
            ]
        )
        #expect(machine.hasEnded)
    }

    @Test func `a body of unknown length ends with its exchange`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        let head = Self.head(200, [("ETag", "\"a\""), ("Transfer-Encoding", "chunked")])
        #expect(answer(&machine, head).first == .beginFile(Self.version(total: nil)))
        #expect(machine.after { $0.receivedBytes(count: 1000) } == [.write(dropping: 0)])
        #expect(
            machine.after { $0.wrote(count: 1000) } == [.reportProgress(received: 1000, total: nil)]
        )
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
    }

    @Test func `an empty body is a file, too`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        let head = Self.head(200, [("Content-Length", "0")])
        let version = ResourceVersion(validator: .weak(""), totalByteCount: 0, url: Self.url)
        #expect(answer(&machine, head).first == .beginFile(version))
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
    }

    @Test func `DL-34: a decoded body has no known length, and no parts`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        var head = Self.head(
            200,
            [("ETag", "\"a\""), ("Content-Length", "10"), ("Content-Encoding", "gzip")]
        )
        head.isDecoded = true
        let version = ResourceVersion(
            validator: .weak("\"a\""),
            totalByteCount: nil,
            url: Self.url,
            hasParts: false
        )
        #expect(answer(&machine, head).first == .beginFile(version))
        #expect(machine.after { $0.receivedBytes(count: 5000) } == [.write(dropping: 0)])
        _ = machine.after { $0.wrote(count: 5000) }
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
    }

    @Test func `the length in an answer to HEAD is not that of its body`() {
        let request = TransferRequest(url: Self.url, method: "HEAD")
        var machine = machine(request)
        _ = machine.after { $0.start(holding: nil) }
        #expect(answer(&machine, Self.head()).first == .beginFile(Self.version(nil, total: nil)))
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
    }

    @Test(arguments: [400, 403, 404, 410, 500, 503, 599, 201, 204, 304])
    func `BG-19: any other answer is the file, and cannot be continued`(status: Int) {
        var machine = machine(unavailable: .fail)
        _ = machine.after { $0.start(holding: nil) }
        let effects = answer(&machine, Self.head(status))
        guard case .beginFile(let version)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(version.validator == nil)
        #expect(effects.last == .takeBody)
    }

    @Test func `a body that ends early fails and is kept`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        _ = answer(&machine, Self.head())
        _ = machine.after { $0.receivedBytes(count: 30) }
        _ = machine.after { $0.wrote(count: 30) }
        let effects = machine.after { $0.loadFinished(nil) }
        #expect(effects.count == 1)
        #expect(failure(effects)?.code == .connectionLost)
        #expect(machine.receivedByteCount == 30)
    }

    @Test func `a lost connection fails and keeps what came`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        _ = answer(&machine, Self.head())
        _ = machine.after { $0.wrote(count: 30) }
        #expect(machine.after { $0.loadFinished(Self.lost) } == [.fail(Self.lost)])
        #expect(machine.receivedByteCount == 30)
    }

    @Test func `no answer fails`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        #expect(machine.after { $0.loadFinished(Self.lost) } == [.fail(Self.lost)])
        var other = self.machine()
        _ = other.after { $0.start(holding: nil) }
        #expect(failure(other.after { $0.loadFinished(nil) })?.code == .badServerResponse)
    }

    @Test func `a body longer than announced fails, and none of it is kept`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        _ = answer(&machine, Self.head())
        _ = machine.after { $0.wrote(count: 100) }
        let effects = machine.after { $0.receivedBytes(count: 1) }
        #expect(effects.prefix(2) == [.cancelLoads, .discardFile])
        #expect(failure(effects)?.code == .badServerResponse)
        #expect(machine.receivedByteCount == 0)
    }

    @Test func `a part that nobody asked for fails`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        let effects = answer(&machine, Self.part("bytes 0-49/100"))
        #expect(effects.first == .cancelLoads)
        #expect(failure(effects)?.code == .badServerResponse)
    }

    @Test func `a part that is the whole is taken for the whole`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        let head = Self.head(
            206,
            [("ETag", "\"a\""), ("Content-Length", "100"), ("Content-Range", "bytes 0-99/100")]
        )
        #expect(answer(&machine, head).first == .beginFile(Self.version()))
    }

    @Test func `a part that the app asked for is its answer`() {
        let request = TransferRequest(
            url: Self.url,
            fields: [HTTPField(name: "range", value: "bytes=10-19")]
        )
        var machine = machine(request)
        #expect(machine.after { $0.start(holding: Self.held) } == [Self.whole(request)])
        let head = Self.head(
            206,
            [("ETag", "\"a\""), ("Content-Length", "10"), ("Content-Range", "bytes 10-19/100")]
        )
        #expect(answer(&machine, head).first == .beginFile(Self.version(nil, total: 10)))
        _ = machine.after { $0.wrote(count: 10) }
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
    }
}

extension Download.StateMachine.Effect {
    /// Whether the bytes at hand are recorded as wrong.
    var refutesFile: Bool {
        if case .continueFile(let version) = self { version.isRefuted } else { false }
    }
}
