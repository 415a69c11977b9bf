import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite struct DownloadStateMachineTests {
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
    static let lost = HTTPError(code: .connectionLost, message: "lost")

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
        let effects = machine.start(holding: held)
        return (machine, effects)
    }

    func answer(_ machine: inout Machine, _ head: HTTPResponseHead) -> [Effect] {
        machine.receivedHead(head, now: Self.now)
    }

    func failure(_ effects: [Effect]) -> TransferError? {
        if case .fail(let error)? = effects.last { error } else { nil }
    }

    // MARK: - From the start

    @Test func `a whole body is written and finished`() {
        var machine = machine()
        #expect(machine.start(holding: nil) == [Self.whole()])
        #expect(
            answer(&machine, Self.head()) == [
                .beginFile(Self.version()), .reportResponse(Self.head(), Self.request), .takeBody,
            ]
        )
        #expect(machine.receivedBytes(count: 60) == [.write(dropping: 0)])
        #expect(machine.wrote(count: 60) == [.reportProgress(received: 60, total: 100)])
        #expect(machine.receivedBytes(count: 40) == [.write(dropping: 0)])
        #expect(machine.wrote(count: 40) == [.reportProgress(received: 100, total: 100)])
        #expect(machine.exchangeFinished(nil) == [.synchronize])
        #expect(
            machine.synchronized() == [
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
        _ = machine.start(holding: nil)
        let head = Self.head(200, [("ETag", "\"a\""), ("Transfer-Encoding", "chunked")])
        #expect(answer(&machine, head).first == .beginFile(Self.version(total: nil)))
        #expect(machine.receivedBytes(count: 1000) == [.write(dropping: 0)])
        #expect(machine.wrote(count: 1000) == [.reportProgress(received: 1000, total: nil)])
        #expect(machine.exchangeFinished(nil) == [.synchronize])
    }

    @Test func `an empty body is a file, too`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        let head = Self.head(200, [("Content-Length", "0")])
        #expect(answer(&machine, head).first == .beginFile(Self.version(nil, total: 0)))
        #expect(machine.exchangeFinished(nil) == [.synchronize])
    }

    @Test func `DL-34: a coded body has no known length and no validator`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        let head = Self.head(
            200,
            [("ETag", "\"a\""), ("Content-Length", "10"), ("Content-Encoding", "gzip")]
        )
        #expect(answer(&machine, head).first == .beginFile(Self.version(nil, total: nil)))
        #expect(machine.receivedBytes(count: 5000) == [.write(dropping: 0)])
        _ = machine.wrote(count: 5000)
        #expect(machine.exchangeFinished(nil) == [.synchronize])
    }

    @Test func `the length in an answer to HEAD is not that of its body`() {
        let request = TransferRequest(url: Self.url, method: "HEAD")
        var machine = machine(request)
        _ = machine.start(holding: nil)
        #expect(answer(&machine, Self.head()).first == .beginFile(Self.version(nil, total: nil)))
        #expect(machine.exchangeFinished(nil) == [.synchronize])
    }

    @Test(arguments: [400, 403, 404, 410, 500, 503, 599, 201, 204, 304])
    func `BG-19: any other answer is the file, and cannot be continued`(status: Int) {
        var machine = machine(unavailable: .fail)
        _ = machine.start(holding: nil)
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
        _ = machine.start(holding: nil)
        _ = answer(&machine, Self.head())
        _ = machine.receivedBytes(count: 30)
        _ = machine.wrote(count: 30)
        let effects = machine.exchangeFinished(nil)
        #expect(effects.count == 1)
        #expect(failure(effects)?.code == .connectionLost)
        #expect(machine.receivedByteCount == 30)
    }

    @Test func `a lost connection fails and keeps what came`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        _ = answer(&machine, Self.head())
        _ = machine.wrote(count: 30)
        #expect(machine.exchangeFinished(Self.lost) == [.fail(TransferError(Self.lost))])
        #expect(machine.receivedByteCount == 30)
    }

    @Test func `no answer fails`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        #expect(machine.exchangeFinished(Self.lost) == [.fail(TransferError(Self.lost))])
        var other = self.machine()
        _ = other.start(holding: nil)
        #expect(failure(other.exchangeFinished(nil))?.code == .badServerResponse)
    }

    @Test func `a body longer than announced fails, and none of it is kept`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        _ = answer(&machine, Self.head())
        _ = machine.wrote(count: 100)
        let effects = machine.receivedBytes(count: 1)
        #expect(effects.prefix(2) == [.cancelExchange, .discardFile])
        #expect(failure(effects)?.code == .badServerResponse)
        #expect(machine.receivedByteCount == 0)
    }

    @Test func `a part that nobody asked for fails`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        let effects = answer(&machine, Self.part("bytes 0-49/100"))
        #expect(effects.first == .cancelExchange)
        #expect(failure(effects)?.code == .badServerResponse)
    }

    @Test func `a part that is the whole is taken for the whole`() {
        var machine = machine()
        _ = machine.start(holding: nil)
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
        #expect(machine.start(holding: Self.held) == [Self.whole(request)])
        let head = Self.head(
            206,
            [("ETag", "\"a\""), ("Content-Length", "10"), ("Content-Range", "bytes 10-19/100")]
        )
        #expect(answer(&machine, head).first == .beginFile(Self.version(nil, total: 10)))
        _ = machine.wrote(count: 10)
        #expect(machine.exchangeFinished(nil) == [.synchronize])
    }

    // MARK: - Continuing

    @Test func `RD-5, RD-7, RD-8: the rest is asked for, announced and appended`() {
        var machine = machine()
        #expect(machine.start(holding: Self.held) == [Self.rest(from: Self.resumption)])
        let head = Self.part("bytes 40-99/100")
        #expect(
            answer(&machine, head) == [
                .continueFile(Self.version()),
                .reportResponse(head, Self.request),
                .reportResumption(offset: 40, total: 100),
                .takeBody,
            ]
        )
        #expect(machine.receivedBytes(count: 60) == [.write(dropping: 0)])
        #expect(machine.wrote(count: 60) == [.reportProgress(received: 100, total: 100)])
        #expect(machine.exchangeFinished(nil) == [.synchronize])
    }

    @Test func `a complete file is proved by its last byte`() {
        var machine = machine()
        let all = Machine.Held(byteCount: 100, version: Self.version())
        _ = machine.start(holding: all)
        let effects = answer(&machine, Self.part("bytes 99-99/100"))
        #expect(effects.contains(.reportResumption(offset: 99, total: 100)))
        #expect(
            machine.receivedBytes(count: 1) == [.compare(count: 1, at: 99), .write(dropping: 1)]
        )
        #expect(machine.wrote(count: 0) == [.reportProgress(received: 100, total: 100)])
        #expect(machine.exchangeFinished(nil) == [.synchronize])
    }

    @Test func `a byte that was to prove a complete file must come`() {
        var machine = machine()
        _ = machine.start(holding: Machine.Held(byteCount: 100, version: Self.version()))
        _ = answer(&machine, Self.part("bytes 99-99/100"))
        #expect(failure(machine.exchangeFinished(nil))?.code == .connectionLost)
    }

    @Test func `a byte that differs gives up the file, and the whole is asked for`() {
        var machine = machine()
        _ = machine.start(holding: Machine.Held(byteCount: 100, version: Self.version()))
        _ = answer(&machine, Self.part("bytes 99-99/100"))
        _ = machine.receivedBytes(count: 1)
        #expect(
            machine.compareFailed() == [
                .cancelExchange, .discardFile,
                .reportRestart(reason: "the part differs from what is at hand"), Self.whole(),
            ]
        )
        #expect(machine.receivedByteCount == 0)
        #expect(machine.cancel() == [.cancelExchange])
        #expect(machine.compareFailed() == [])
    }

    @Test func `a length that was unknown is learned from the rest`() {
        var machine = machine()
        let some = Machine.Held(byteCount: 40, version: Self.version(total: nil))
        _ = machine.start(holding: some)
        let effects = answer(&machine, Self.part("bytes 39-99/100"))
        #expect(effects.first == .continueFile(Self.version()))
        #expect(
            machine.receivedBytes(count: 11) == [.compare(count: 1, at: 39), .write(dropping: 1)]
        )
        #expect(machine.wrote(count: 10) == [.reportProgress(received: 50, total: 100)])
        #expect(machine.receivedBytes(count: 50) == [.write(dropping: 0)])
        #expect(machine.wrote(count: 50) == [.reportProgress(received: 100, total: 100)])
        #expect(machine.exchangeFinished(nil) == [.synchronize])
    }

    @Test func `RD-6: a whole body takes the place of what is held`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        let head = Self.head(200, [("ETag", "\"b\""), ("Content-Length", "70")])
        #expect(
            answer(&machine, head) == [
                .reportRestart(reason: "the server answers 200"),
                .beginFile(Self.version("\"b\"", total: 70)),
                .reportResponse(head, Self.request),
                .takeBody,
            ]
        )
        #expect(machine.receivedByteCount == 0)
        _ = machine.wrote(count: 70)
        #expect(machine.exchangeFinished(nil) == [.synchronize])
    }

    @Test func `RD-7: a restart is announced to an app that gave resume data`() {
        var machine = machine(announces: true)
        _ = machine.start(holding: Self.held)
        let effects = answer(&machine, Self.head())
        #expect(effects.suffix(2) == [.reportResumption(offset: 0, total: 100), .takeBody])
        var lost = self.machine(announces: true)
        _ = lost.start(holding: nil)
        #expect(
            answer(&lost, Self.head()).contains(.reportResumption(offset: 0, total: 100))
        )
    }

    @Test func `a server that ignores ranges serves the whole of the same version`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        let effects = answer(&machine, Self.head())
        #expect(effects.contains(.beginFile(Self.version())))
    }

    @Test(arguments: [
        part("bytes 41-99/100"), part("bytes 0-99/100"), part("bytes 40-99/101"),
        part("bytes 40-99/100", tag: "\"b\""), part("bytes 40-99/100", tag: "W/\"a\""),
        head(206, [("ETag", "\"a\"")]), head(412), head(416), head(304),
        head(416, [("Content-Range", "bytes */40"), ("ETag", "\"a\"")]),
        head(200, [("Content-Range", "bytes 40-99/100"), ("Content-Length", "60")]),
    ])
    func `a part that proves nothing is left, and the whole asked for`(head: HTTPResponseHead) {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        var effects = answer(&machine, head)
        guard case .reportRestart? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        effects.removeFirst()
        if head.contentLength == nil {
            #expect(effects == [.cancelExchange, Self.whole()])
        } else {
            #expect(effects == [.skipBody])
            #expect(machine.exchangeFinished(nil) == [Self.whole()])
        }
        // Nothing is given up before something takes its place.
        #expect(machine.receivedByteCount == 40)
        #expect(answer(&machine, Self.head()).first == .beginFile(Self.version()))
    }

    @Test func `a server that sends parts only is given up, and the bytes are kept`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        _ = answer(&machine, Self.part("bytes 41-99/100"))
        let effects = answer(&machine, Self.part("bytes 41-99/100"))
        #expect(failure(effects)?.code == .badServerResponse)
        #expect(machine.receivedByteCount == 40)
    }

    @Test func `a part longer than it says gives up the file, and the whole is asked for`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        _ = answer(&machine, Self.part("bytes 40-99/100"))
        _ = machine.wrote(count: 60)
        let effects = machine.receivedBytes(count: 1)
        #expect(
            effects == [
                .cancelExchange, .discardFile,
                .reportRestart(reason: "the body is longer than announced"), Self.whole(),
            ]
        )
        #expect(machine.receivedByteCount == 0)
    }

    @Test func `a shorter part than asked for is continued, and is no news`() throws {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        _ = answer(&machine, Self.part("bytes 40-59/100"))
        _ = machine.wrote(count: 20)
        let next = Resumption(byteCount: 60, version: Self.version())
        #expect(machine.exchangeFinished(nil) == [Self.rest(from: next)])
        #expect(
            answer(&machine, Self.part("bytes 60-99/100"))
                == [.continueFile(Self.version()), .takeBody]
        )
        _ = machine.wrote(count: 40)
        #expect(machine.exchangeFinished(nil) == [.synchronize])
    }

    @Test func `a part that does not even come to its own end fails`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        _ = answer(&machine, Self.part("bytes 40-59/100"))
        _ = machine.wrote(count: 10)
        #expect(failure(machine.exchangeFinished(nil))?.code == .connectionLost)
        #expect(machine.receivedByteCount == 50)
    }

    @Test func `a lost connection while continuing keeps old and new bytes`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        _ = answer(&machine, Self.part("bytes 40-99/100"))
        _ = machine.wrote(count: 10)
        #expect(failure(machine.exchangeFinished(Self.lost))?.code == .connectionLost)
        #expect(machine.receivedByteCount == 50)
    }

    @Test(arguments: [
        nil, Machine.Held(byteCount: 0, version: version()),
        Machine.Held(byteCount: 40, version: version(nil)),
    ])
    func `bytes that nothing proves are not continued`(held: Machine.Held?) {
        var machine = machine()
        #expect(machine.start(holding: held) == [Self.whole()])
    }

    @Test(arguments: [
        TransferRequest(url: url, method: "POST"),
        TransferRequest(url: url, fields: [HTTPField(name: "If-Match", value: "\"x\"")]),
    ])
    func `RD-1: other requests are not continued`(request: TransferRequest) {
        var machine = machine(request)
        #expect(machine.start(holding: Self.held) == [Self.whole(request)])
        let effects = answer(&machine, Self.head())
        #expect(effects.first == .beginFile(Self.version(nil, total: 100)))
    }

    // MARK: - Fruitless resumptions

    @Test(arguments: [HTTPError.Code.connectionLost, .bodyTooShort, .badServerResponse])
    func `a resumption that is cut off before a byte is counted`(code: HTTPError.Code) {
        let error = HTTPError(code: code, message: "")
        var (machine, _) = resuming(after: 3)
        _ = machine.exchangeFinished(error)
        #expect(machine.fruitlessResumptionCount == 4)
        var (after, _) = resuming(after: 3)
        _ = answer(&after, Self.part("bytes 40-99/100"))
        _ = after.exchangeFinished(error)
        #expect(after.fruitlessResumptionCount == 4)
    }

    @Test(
        arguments: HTTPError.Code.allCases.filter {
            ![.connectionLost, .bodyTooShort, .badServerResponse].contains($0)
        }
    )
    func `a network that is away is not the server's fault`(code: HTTPError.Code) {
        var (machine, _) = resuming(after: 3)
        _ = machine.exchangeFinished(HTTPError(code: code, message: ""))
        #expect(machine.fruitlessResumptionCount == 3)
    }

    @Test func `a byte ends the count`() {
        var (machine, _) = resuming(after: 3)
        _ = answer(&machine, Self.part("bytes 40-99/100"))
        _ = machine.receivedBytes(count: 1)
        #expect(machine.fruitlessResumptionCount == 0)
        _ = machine.exchangeFinished(Self.lost)
        #expect(machine.fruitlessResumptionCount == 0)
    }

    @Test func `a server that always fails at ranges is asked for the whole`() {
        var (machine, effects) = resuming(after: Machine.maximumFruitlessResumptionCount)
        #expect(effects == [Self.whole()])
        // The bytes are still there in case it was the network.
        #expect(machine.receivedByteCount == 40)
        #expect(failure(machine.exchangeFinished(Self.lost))?.code == .connectionLost)
        #expect(machine.fruitlessResumptionCount == Machine.maximumFruitlessResumptionCount)
        let (_, almost) = resuming(after: Machine.maximumFruitlessResumptionCount - 1)
        #expect(almost == [Self.rest(from: Self.resumption)])
    }

    // MARK: - Unavailable servers

    @Test(arguments: [408, 429, 500, 502, 503, 504, 599])
    func `an unavailable server does not cost the bytes that are held`(status: Int) {
        var machine = machine(unavailable: .fail)
        _ = machine.start(holding: Self.held)
        let effects = answer(
            &machine,
            Self.head(status, [("Retry-After", "7"), ("Content-Length", "5")])
        )
        #expect(effects.first == .cancelExchange)
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

    // MARK: - Redirects

    @Test func `a redirect is followed after its short body`() throws {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        let head = Self.head(302, [("Location", "/other"), ("Content-Length", "16384")])
        #expect(answer(&machine, head) == [.skipBody])
        var next = Self.request
        next.url = "http://host/other"
        let expected = Effect.send(
            Machine.Request(transfer: next, resumption: Self.resumption, redirectCount: 1)
        )
        #expect(machine.exchangeFinished(nil) == [expected])
        #expect(machine.currentRequest == next)
    }

    @Test(arguments: [
        [("Location", "/other"), ("Content-Length", "16385")], [("Location", "/other")],
    ])
    func `a redirect with a long body is not listened to`(fields: [(String, String)]) {
        var machine = machine()
        _ = machine.start(holding: nil)
        let effects = answer(&machine, Self.head(302, fields))
        #expect(effects.first == .cancelExchange)
        guard case .send? = effects.last else {
            Issue.record("\(effects)")
            return
        }
    }

    @Test func `a redirect whose body breaks off is followed`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        _ = answer(&machine, Self.head(302, [("Location", "/x"), ("Content-Length", "5")]))
        guard case .send? = machine.exchangeFinished(Self.lost).last else {
            Issue.record("not followed")
            return
        }
    }

    @Test func `secrets do not go to another origin, the range does`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        let effects = answer(&machine, Self.head(307, [("Location", "http://other/file")]))
        let expected = Machine.Request(
            transfer: TransferRequest(url: "http://other/file"),
            resumption: Self.resumption,
            redirectCount: 1
        )
        #expect(effects == [.cancelExchange, .send(expected)])
    }

    @Test func `DL-4: a chain of redirects ends at the 21st`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        for count in 1...20 {
            let effects = answer(&machine, Self.head(302, [("Location", "/\(count)")]))
            #expect(failure(effects) == nil)
        }
        let effects = answer(&machine, Self.head(302, [("Location", "/21")]))
        #expect(effects.first == .cancelExchange)
        #expect(failure(effects)?.code == .tooManyRedirects)
        #expect(failure(effects)?.failingURL == "http://host/21")
        #expect(machine.receivedByteCount == 40)
    }

    @Test func `a redirect to what cannot be asked for is the server's fault`() {
        let bad = HTTPError(code: .badURL, message: "bad")
        var machine = machine()
        _ = machine.start(holding: nil)
        #expect(failure(machine.exchangeFinished(bad))?.code == .badURL)
        var redirected = self.machine()
        _ = redirected.start(holding: nil)
        _ = answer(&redirected, Self.head(302, [("Location", "http://other/")]))
        #expect(failure(redirected.exchangeFinished(bad))?.code == .badServerResponse)
    }

    @Test func `a restart begins at the first URL with all fields`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        _ = answer(&machine, Self.head(302, [("Location", "http://other/file")]))
        let effects = answer(&machine, Self.part("bytes 0-99/100"))
        #expect(effects.last == Self.whole())
    }

    @Test func `the request that was answered is reported without our fields`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        _ = answer(&machine, Self.head(302, [("Location", "/file?2")]))
        let effects = answer(&machine, Self.part("bytes 40-99/100"))
        guard case .reportResponse(_, let current)? = effects.dropFirst().first else {
            Issue.record("\(effects)")
            return
        }
        #expect(current.url == "http://host/file?2")
        #expect(current.fields == Self.request.fields)
    }

    // MARK: - Races

    @Test func `a cancel before the start leaves nothing to do`() {
        var machine = machine()
        #expect(machine.cancel() == [])
        #expect(machine.start(holding: nil) == [])
        #expect(machine.cancel() == [])
    }

    @Test func `a head that was on its way when the download was cancelled is ignored`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        #expect(machine.cancel() == [.cancelExchange])
        #expect(answer(&machine, Self.head()) == [])
        #expect(machine.receivedBytes(count: 5) == [])
        #expect(machine.wrote(count: 5) == [])
        #expect(machine.exchangeFinished(nil) == [])
        #expect(machine.synchronized() == [])
        #expect(machine.fileFailed(TransferError(code: .diskFull, message: "")) == [])
    }

    @Test func `a cancel while the body comes, or is left, ends the exchange`() {
        var receiving = machine()
        _ = receiving.start(holding: nil)
        _ = answer(&receiving, Self.head())
        #expect(receiving.cancel() == [.cancelExchange])
        var draining = machine()
        _ = draining.start(holding: nil)
        _ = answer(&draining, Self.head(302, [("Location", "/x"), ("Content-Length", "5")]))
        #expect(draining.cancel() == [.cancelExchange])
        #expect(draining.exchangeFinished(nil) == [])
    }

    @Test func `a cancel while the last bytes go to the disk wins`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        _ = answer(&machine, Self.head(200, [("Content-Length", "0")]))
        #expect(machine.exchangeFinished(nil) == [.synchronize])
        #expect(machine.cancel() == [])
        #expect(machine.synchronized() == [])
    }

    @Test func `a full disk ends the exchange and the download`() {
        let full = TransferError(code: .diskFull, message: "")
        var machine = machine()
        _ = machine.start(holding: nil)
        _ = answer(&machine, Self.head())
        _ = machine.receivedBytes(count: 50)
        _ = machine.wrote(count: 20)
        #expect(machine.fileFailed(full) == [.cancelExchange, .fail(full)])
        #expect(machine.receivedByteCount == 20)
        #expect(machine.fileFailed(full) == [])
        #expect(machine.cancel() == [])
    }

    @Test func `a disk that fails at the last moment fails the download`() {
        let broken = TransferError(code: .cannotWriteToFile, message: "")
        var machine = machine()
        _ = machine.start(holding: nil)
        _ = answer(&machine, Self.head(200, [("Content-Length", "0")]))
        _ = machine.exchangeFinished(nil)
        #expect(machine.fileFailed(broken) == [.fail(broken)])
        #expect(machine.synchronized() == [])
    }

    @Test func `a file that cannot be opened fails the download before any request`() {
        let broken = TransferError(code: .cannotCreateFile, message: "")
        var machine = machine()
        #expect(machine.fileFailed(broken) == [.fail(broken)])
        #expect(machine.start(holding: nil) == [])
    }

    @Test func `inputs in any order lead to one end at most`() {
        var generator = SeededGenerator(seed: 1)
        let heads = [
            Self.head(), Self.part("bytes 40-99/100"), Self.part("bytes 0-99/100"), Self.head(416),
            Self.head(302, [("Location", "/x"), ("Content-Length", "5")]), Self.head(503),
            Self.head(302, [("Location", "/x")]),
        ]
        for _ in 0..<20_000 {
            var machine = machine(unavailable: generator.happens(50) ? .fail : .deliver)
            var endCount = 0
            for _ in 0..<12 {
                let effects =
                    switch generator.below(9) {
                    case 0: machine.start(holding: generator.happens(50) ? Self.held : nil)
                    case 1: answer(&machine, heads[generator.below(heads.count)])
                    case 2: machine.receivedBytes(count: generator.below(70))
                    case 3: machine.wrote(count: generator.below(70))
                    case 4: machine.exchangeFinished(generator.happens(50) ? nil : Self.lost)
                    case 5: machine.synchronized()
                    case 6: machine.fileFailed(TransferError(code: .diskFull, message: ""))
                    case 7: machine.compareFailed()
                    default: generator.happens(20) ? machine.cancel() : []
                    }
                #expect(endCount == 0 || effects.isEmpty)
                endCount += effects.count { effect in
                    switch effect {
                    case .finish, .fail: true
                    default: false
                    }
                }
            }
            #expect(endCount <= 1)
        }
    }

    @Test func `an impossible input ends this download, and names no secret`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        let effects = machine.receivedBytes(count: 1)
        #expect(effects.first == .cancelExchange)
        #expect(failure(effects)?.code == .internalFailure)
        #expect(failure(effects)?.message == "receivedBytes(count:) while requesting")
        var twice = self.machine()
        _ = twice.start(holding: nil)
        #expect(failure(twice.start(holding: nil))?.code == .internalFailure)
        var late = self.machine()
        _ = late.start(holding: nil)
        _ = answer(&late, Self.head())
        #expect(failure(answer(&late, Self.head()))?.code == .internalFailure)
    }
}
