import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Decisions of an upload without any server.
@Suite(.timeLimit(.minutes(5)))
struct ResumableUploadStateMachineTests {
    typealias Machine = ResumableUpload.StateMachine

    let request = TransferRequest(
        url: "http://example.com/in",
        method: "POST",
        fields: [HTTPField(name: "X-Token", value: "secret")]
    )
    let lost = TransferError(code: .connectionLost, message: "")
    let start = ContinuousClock.now
    let now = HTTPDate.now

    private func machine(
        byteCount: Int64? = 100,
        resource: UploadResource? = nil,
        knowledge: UploadKnowledge = UploadKnowledge(),
        protocols: ResumableUpload.Protocols = .automatic,
        policy: RetryPolicy = RetryPolicy(),
        timeout: Duration? = .seconds(60)
    ) -> Machine {
        Machine(
            request: request,
            byteCount: byteCount,
            resource: resource,
            knowledge: knowledge,
            configuration: ResumableUpload.Configuration(
                protocols: protocols,
                interruptions: .proceed(policy, timeout: timeout)
            )
        )
    }

    private func moment(_ seconds: Int = 0) -> ResumableUpload.Moment {
        ResumableUpload.Moment(instant: start + .seconds(seconds), date: now)
    }

    private func head(
        _ status: Int,
        _ fields: [(String, String)] = [],
        url: String = "http://example.com/in"
    ) -> HTTPResponseHead {
        HTTPResponseHead(
            status: status,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: url
        )
    }

    private let announcement = [
        ("Upload-Draft-Interop-Version", "8"), ("Location", "/resources/1"),
    ]

    private func finish(
        _ machine: inout Machine,
        _ error: TransferError? = nil,
        after: Int = 0
    )
        -> [Machine.Effect]
    {
        var generator = SeededGenerator(seed: 1)
        return machine.after { $0.loadFinished(error, at: moment(after), using: &generator) }
    }

    private func receive(_ machine: inout Machine, _ head: HTTPResponseHead) -> [Machine.Effect] {
        machine.after { $0.receivedHead(head, to: request, at: moment()) }
    }

    /// The request that goes out by some effects.
    private func sent(_ effects: [Machine.Effect]) throws -> TransferRequest {
        try dispatch(effects).request
    }

    private func dispatch(_ effects: [Machine.Effect]) throws -> ResumableUpload.Dispatch {
        for case .send(let dispatch) in effects { return dispatch }
        throw TransferError(code: .internalFailure, message: "nothing is sent")
    }

    /// The time to wait after some effects.
    private func delay(_ effects: [Machine.Effect]) throws -> Duration {
        for case .wait(let delay) in effects { return delay }
        throw TransferError(code: .internalFailure, message: "it does not wait: \(effects)")
    }

    /// A machine whose server has taken the offer up and has ten bytes.
    private func interrupted(policy: RetryPolicy = RetryPolicy()) -> Machine {
        var machine = machine(policy: policy)
        _ = machine.after { $0.start() }
        _ = machine.after { $0.informational(head(104, announcement)) }
        _ = machine.after { $0.sent(byteCount: 50) }
        _ = finish(&machine, lost)
        return machine
    }

    @Test func `UP-2: the first request offers the draft and is complete`() throws {
        var machine = machine()
        let first = try sent(machine.after { $0.start() })
        #expect(first.fields.first(named: "Upload-Draft-Interop-Version") == "8")
        #expect(first.fields.first(named: "Upload-Complete") == "?1")
        #expect(first.fields.first(named: "Upload-Length") == "100")
        #expect(first.fields.first(named: "Upload-Offset") == nil)
    }

    @Test func `UP-2: the first draft says that nothing is incomplete`() throws {
        var knowledge = UploadKnowledge()
        knowledge.record(.proof(.draft3, try #require(Origin(url: request.url))))
        var machine = machine(knowledge: knowledge)
        let first = try sent(machine.after { $0.start() })
        #expect(first.fields.first(named: "Upload-Draft-Interop-Version") == "3")
        #expect(first.fields.first(named: "Upload-Incomplete") == "?0")
        #expect(first.fields.first(named: "Upload-Complete") == nil)
    }

    @Test(arguments: [
        [("Location", "/resources/1")],
        [("Upload-Draft-Interop-Version", "6"), ("Location", "/resources/1")],
        [("Upload-Draft-Interop-Version", "8")],
        [("Upload-Draft-Interop-Version", "8"), ("Location", "mailto:somebody")],
    ])
    func `UP-3: what does not match proves nothing`(fields: [(String, String)]) {
        var machine = machine()
        _ = machine.after { $0.start() }
        #expect(machine.after { $0.informational(head(104, fields)) } == [])
        #expect(machine.resource == nil)
        #expect(finish(&machine, lost) == [.finish(lost)])
    }

    @Test func `UP-3: another status proves nothing`() {
        var machine = machine()
        _ = machine.after { $0.start() }
        #expect(machine.after { $0.informational(head(103, announcement)) } == [])
        #expect(machine.resource == nil)
    }

    @Test func `UP-3: the proof is remembered and told`() throws {
        var machine = machine()
        _ = machine.after { $0.start() }
        let effects = machine.after { $0.informational(head(104, announcement)) }
        let origin = try #require(Origin(url: request.url))
        let resource = UploadResource(
            url: "http://example.com/resources/1",
            language: .draft8
        )
        #expect(effects == [.remember(.proof(.draft8, origin)), .report(resource)])
    }

    @Test func `UP-6: after a cut comes a question, then the rest`() throws {
        var machine = interrupted()
        let question = try sent(machine.after { $0.waited() })
        #expect(question.method == "HEAD")
        #expect(question.url == "http://example.com/resources/1")
        #expect(question.fields.first(named: "X-Token") == "secret")
        let skipped = receive(&machine, head(204, [("Upload-Offset", "10")]))
        #expect(skipped.last == .skipBody)
        let rest = try sent(finish(&machine))
        #expect(rest.method == "PATCH")
        #expect(rest.fields.first(named: "Upload-Offset") == "10")
        #expect(rest.fields.first(named: "Upload-Complete") == "?1")
    }

    @Test func `UP-6: only from draft -03 on may 200 tell the offset`() throws {
        for (draft, isTold) in [(UploadProtocol.draft3, false), (.draft5, true), (.draft8, true)] {
            let resource = UploadResource(url: "http://example.com/resources/1", language: draft)
            var machine = machine(resource: resource)
            _ = machine.after { $0.start() }
            let effects = receive(&machine, head(200, [("Upload-Offset", "10")]))
            #expect((effects.last == .skipBody) == isTold)
            #expect(machine.hasEnded == !isTold)
        }
    }

    @Test func `UP-7: one question precedes each part`() throws {
        var machine = interrupted()
        for offset in ["10", "10", "5"] {
            #expect(try sent(machine.after { $0.waited() }).method == "HEAD")
            _ = receive(&machine, head(204, [("Upload-Offset", offset)]))
            #expect(try sent(finish(&machine)).method == "PATCH")
            _ = try delay(finish(&machine, lost))
        }
    }

    @Test func `UP-7: a body of which more is claimed than has left is given up`() {
        var machine = interrupted()
        _ = machine.after { $0.waited() }
        let effects = receive(&machine, head(204, [("Upload-Offset", "51")]))
        #expect(effects.prefix(2) == [.cancelLoad, .report(nil)])
        #expect(machine.hasEnded)
    }

    @Test func `UP-7: what an earlier process has sent only the length limits`() {
        let resource = UploadResource(url: "http://example.com/resources/1", language: .draft8)
        for (offset, isGood) in [("100", true), ("101", false)] {
            var machine = machine(resource: resource)
            _ = machine.after { $0.start() }
            let effects = receive(&machine, head(204, [("Upload-Offset", offset)]))
            #expect((effects.last == .skipBody) == isGood)
        }
    }

    @Test func `a server that claims to have all of less than there is contradicts itself`() {
        var machine = interrupted()
        _ = machine.after { $0.waited() }
        let lie = head(204, [("Upload-Offset", "10"), ("Upload-Complete", "?1")])
        #expect(receive(&machine, lie).prefix(2) == [.cancelLoad, .report(nil)])
        #expect(machine.hasEnded)
    }

    @Test func `what began by TLS does not go on without`() {
        let fields = [
            ("Upload-Draft-Interop-Version", "8"), ("Location", "http://example.com/resources/1"),
        ]
        let secure = head(104, fields, url: "https://example.com/in")
        #expect(UploadReport(secure).location == nil)
        #expect(UploadReport(head(104, fields)).location != nil)
        let resource = UploadResource(url: "https://example.com/resources/1", language: .draft8)
        var machine = machine(resource: resource)
        _ = machine.after { $0.start() }
        let moved = head(308, [], url: resource.url)
        let next = TransferRequest(url: "http://example.com/resources/1", method: "HEAD")
        #expect(machine.redirected(by: moved, to: next) == .isAnswer)
        #expect(machine.resource == resource)
    }

    @Test func `time that an upload is paused does not count as lost`() throws {
        var machine = interrupted()
        _ = machine.after { $0.waited() }
        machine.pause()
        #expect(machine.after { $0.resume() } == [])
        _ = try delay(finish(&machine, lost, after: 10_000))
    }

    @Test func `a question that becomes due during a pause is asked after it`() throws {
        var machine = interrupted()
        machine.pause()
        #expect(machine.after { $0.waited() } == [])
        #expect(machine.isPaused)
        #expect(try sent(machine.after { $0.resume() }).method == "HEAD")
        #expect(!machine.isPaused)
        #expect(machine.after { $0.resume() } == [])
    }

    @Test func `an upload that is given up while a question is due asks nothing more`() {
        var machine = interrupted()
        machine.pause()
        _ = machine.after { $0.waited() }
        #expect(machine.after { $0.cancel(terminates: false) } == [.release])
        #expect(machine.after { $0.resume() } == [])
    }

    @Test func `bytes that may have arrived are not sent again without a response`() throws {
        let resource = UploadResource(url: "http://example.com/resources/1", language: .draft8)
        var machine = machine(resource: resource)
        _ = machine.after { $0.start() }
        machine.receivedAnyHead()
        _ = receive(&machine, head(204, [("Upload-Offset", "10")]))
        #expect(try sent(finish(&machine)).method == "PATCH")
        #expect(machine.needsBody() == .none)
        machine.receivedAnyHead()
        let part = ResumableUpload.Part(start: 10, end: 100, isLast: true)
        #expect(machine.needsBody() == .part(part))
        #expect(machine.needsBody() == .none)
    }

    @Test func `the app is asked for the whole body`() {
        var machine = machine()
        _ = machine.after { $0.start() }
        #expect(machine.needsBody() == .whole)
    }

    @Test func `only what goes on from the server's bytes needs an unchanged body`() throws {
        var machine = interrupted()
        #expect(try dispatch(machine.after { $0.waited() }).checksBody)
        _ = receive(&machine, head(204, [("Upload-Offset", "10")]))
        #expect(try dispatch(finish(&machine)).checksBody)
        var other = self.machine()
        #expect(try !dispatch(other.after { $0.start() }).checksBody)
    }

    @Test(
        arguments: [
            (0, 10), (-1, 10), (0.5, 0.5), (10, 10), (60, 10), (1e9, 10), (.infinity, 10),
        ] as [(Double, Double)]
    )
    func `the question for tus waits for ten seconds at most, whatever the app allows`(
        idleTimeout: Double,
        expected: Double
    ) {
        let requests = ResumableUpload.Requests(
            request: TransferRequest(url: request.url, method: "POST", idleTimeout: idleTimeout),
            byteCount: 100,
            isRepeatable: true,
            name: "name"
        )
        let question = requests.dispatch(.discover, to: nil, detour: nil).request
        #expect(question.idleTimeout == expected)
        let upload = requests.dispatch(.upload(offering: nil), to: nil, detour: nil).request
        #expect(upload.idleTimeout == idleTimeout)
    }

    @Test(arguments: [(16 << 10, true), (16 << 10 + 1, false)])
    func `a body longer than a handshake is not waited for`(length: Int, isShort: Bool) throws {
        var machine = machine(byteCount: 16 << 20)
        _ = machine.after { $0.start() }
        let effects = receive(&machine, head(404, [("Content-Length", String(length))]))
        #expect(effects.last == (isShort ? .skipBody : .abandonLoad))
        #expect(try sent(finish(&machine)).method == "POST")
    }

    @Test func `UP-5: progress gives new patience`() throws {
        var machine = machine(timeout: .seconds(10))
        _ = machine.after { $0.start() }
        _ = machine.after { $0.informational(head(104, announcement)) }
        _ = machine.after { $0.sent(byteCount: 90) }
        _ = finish(&machine, lost)
        for (offset, seconds) in [("10", 8), ("20", 16), ("30", 24)] {
            _ = machine.after { $0.waited() }
            _ = receive(&machine, head(204, [("Upload-Offset", offset)]))
            _ = finish(&machine)
            _ = try delay(finish(&machine, lost, after: seconds))
        }
        _ = machine.after { $0.waited() }
        #expect(finish(&machine, lost, after: 35) == [.finish(lost)])
        #expect(machine.resource != nil)
    }

    @Test func `a server that failed when it was asked about tus is not asked once more`() throws {
        var machine = machine(byteCount: ResumableUpload.Negotiation.worthAQuestion)
        #expect(try sent(machine.after { $0.start() }).method == "OPTIONS")
        #expect(try sent(finish(&machine, lost)).method == "POST")
        let effects = receive(&machine, head(404, [("Tus-Resumable", "1.0.0")]))
        #expect(effects.contains { if case .answer = $0 { true } else { false } })
    }

    @Test func `what a server refused before a pause, it may take after it`() throws {
        let resource = UploadResource(url: "http://example.com/resources/1", language: .draft8)
        var machine = machine(resource: resource)
        _ = machine.after { $0.start() }
        _ = receive(&machine, head(204, [("Upload-Offset", "10")]))
        #expect(try sent(finish(&machine)).method == "PATCH")
        _ = receive(&machine, head(409))
        #expect(try sent(finish(&machine)).method == "HEAD")
        _ = finish(&machine, lost)
        _ = machine.after { $0.waited() }
        _ = receive(&machine, head(204, [("Upload-Offset", "10")]))
        #expect(try sent(finish(&machine)).method == "PATCH")
    }

    @Test func `progress begins the count of failures anew`() throws {
        // The delays after one and two failures are 2 and 20 s, of which at least half is waited.
        var machine = interrupted(policy: RetryPolicy(firstDelay: .seconds(2), factor: 10))
        _ = machine.after { $0.waited() }
        #expect(try delay(finish(&machine, lost)) >= .seconds(10))
        _ = machine.after { $0.waited() }
        _ = receive(&machine, head(204, [("Upload-Offset", "10")]))
        _ = finish(&machine)
        // Long after the first failure, so that the time is new, too.
        #expect(try delay(finish(&machine, lost, after: 1000)) <= .seconds(2))
    }

    @Test func `an upload that has moved for good is asked for where it is from then on`() throws {
        let resource = UploadResource(url: "http://example.com/resources/1", language: .draft8)
        var machine = machine(resource: resource)
        _ = machine.after { $0.start() }
        let moved = "http://example.com/resources/2"
        let next = TransferRequest(url: moved, method: "HEAD")
        #expect(machine.redirected(by: head(308, [], url: resource.url), to: next) == .follow)
        #expect(machine.resource?.url == moved)
        let sequel = receive(&machine, head(204, [("Upload-Offset", "10")], url: moved))
        #expect(sequel.contains(.report(machine.resource)))
        #expect(try sent(finish(&machine)).url == moved)
    }

    @Test func `an upload that is elsewhere for now is asked for at its own place afterwards`()
        throws
    {
        let resource = UploadResource(url: "http://example.com/resources/1", language: .draft8)
        var machine = machine(resource: resource)
        _ = machine.after { $0.start() }
        let elsewhere = "http://example.com/resources/2"
        let next = TransferRequest(url: elsewhere, method: "HEAD")
        #expect(machine.redirected(by: head(307, [], url: resource.url), to: next) == .follow)
        _ = receive(&machine, head(204, [("Upload-Offset", "10")], url: elsewhere))
        #expect(try sent(finish(&machine)).url == elsewhere)
        _ = finish(&machine, lost)
        #expect(try sent(machine.after { $0.waited() }).url == resource.url)
        _ = receive(&machine, head(204, [("Upload-Offset", "20")]))
        #expect(try sent(finish(&machine)).url == resource.url)
    }

    @Test func `an owner that waits itself is told of the first cut`() {
        var machine = Machine(
            request: request,
            byteCount: 100,
            configuration: ResumableUpload.Configuration()
        )
        _ = machine.after { $0.start() }
        _ = machine.after { $0.informational(head(104, announcement)) }
        #expect(finish(&machine, lost) == [.finish(lost)])
        #expect(machine.resource != nil)
    }

    @Test func `a large body goes where tus may be after a question`() throws {
        var machine = machine(byteCount: 16 << 20)
        let question = try sent(machine.after { $0.start() })
        #expect(question.method == "OPTIONS")
        #expect(question.idleTimeout == 10)
        let upload = try sent(finish(&machine, TransferError(code: .timedOut, message: "")))
        #expect(upload.method == "POST")
        #expect(upload.fields.first(named: "Upload-Draft-Interop-Version") == "8")
    }

    @Test func `whatever comes of the question, the upload is made`() throws {
        for head in [head(204), head(404), head(500), head(200, [("Allow", "GET")])] {
            var machine = machine(byteCount: 16 << 20)
            _ = machine.after { $0.start() }
            let effects = receive(&machine, head)
            #expect(effects.first == .remember(.noTus(url: request.url)))
            #expect(try sent(finish(&machine)).method == "POST")
        }
    }

    @Test func `a server that answers in tus's words is spoken to in them`() throws {
        var machine = machine()
        _ = machine.after { $0.start() }
        _ = receive(&machine, head(412, [("Tus-Resumable", "1.0.0"), ("Content-Length", "0")]))
        #expect(try sent(finish(&machine)).method == "OPTIONS")
        let options = [
            ("Tus-Version", "1.0.0"), ("Tus-Extension", "creation,checksum,termination"),
            ("Tus-Checksum-Algorithm", "md5,sha1,sha256"),
        ]
        _ = receive(&machine, head(204, options))
        let creation = try sent(finish(&machine))
        #expect(creation.method == "POST")
        #expect(creation.fields.first(named: "Upload-Length") == "100")
        let created = [
            ("Tus-Resumable", "1.0.0"), ("Location", "/files/1"), ("Content-Length", "0"),
        ]
        _ = receive(&machine, head(201, created))
        let digest = finish(&machine)
        let part = ResumableUpload.Part(start: 0, end: 100, isLast: true)
        #expect(digest == [.digest(part, .sha256)])
        let patch = try sent(machine.after { $0.digested("abc=") })
        #expect(patch.fields.first(named: "Upload-Checksum") == "sha256 abc=")
        #expect(patch.fields.first(named: "Content-Type") == "application/offset+octet-stream")
        #expect(patch.url == "http://example.com/files/1")
        let accepted = head(204, [("Upload-Offset", "100"), ("Tus-Resumable", "1.0.0")])
        #expect(receive(&machine, accepted) == [.answer(accepted, request)])
    }

    @Test(arguments: [409, 423, 460])
    func `tus: what passes by itself is asked about again`(status: Int) throws {
        let resource = UploadResource(
            url: "http://example.com/files/1",
            language: .tus,
            tus: TusCapabilities()
        )
        var machine = machine(resource: resource)
        _ = machine.after { $0.start() }
        _ = receive(&machine, head(200, [("Upload-Offset", "10"), ("Tus-Resumable", "1.0.0")]))
        _ = finish(&machine)
        _ = receive(&machine, head(status, [("Content-Length", "0")]))
        _ = try delay(finish(&machine))
    }

    @Test func `what a server of tus takes of a part is gone on from`() throws {
        let resource = UploadResource(
            url: "http://example.com/files/1",
            language: .tus,
            tus: TusCapabilities()
        )
        var machine = machine(resource: resource)
        _ = machine.after { $0.start() }
        _ = receive(&machine, head(200, [("Upload-Offset", "10")]))
        _ = finish(&machine)
        _ = receive(&machine, head(204, [("Upload-Offset", "60")]))
        let next = try sent(finish(&machine))
        #expect(next.fields.first(named: "Upload-Offset") == "60")
    }

    @Test func `a server of tus that has less than nothing of a part is not believed`() {
        let resource = UploadResource(
            url: "http://example.com/files/1",
            language: .tus,
            tus: TusCapabilities()
        )
        var machine = machine(byteCount: nil, resource: resource)
        _ = machine.after { $0.start() }
        _ = receive(&machine, head(200, [("Upload-Offset", "2000"), ("Tus-Resumable", "1.0.0")]))
        _ = finish(&machine)
        // Nothing of the part has left.
        let effects = receive(&machine, head(204, [("Upload-Offset", "5")]))
        #expect(effects.first == .cancelLoad)
        #expect(machine.hasEnded)
    }

    @Test func `after a cancellation nothing has an effect`() {
        var machine = interrupted()
        #expect(machine.after { $0.cancel(terminates: false) } == [.stopWaiting, .release])
        #expect(machine.after { $0.waited() } == [])
        #expect(machine.after { $0.informational(head(104, announcement)) } == [])
        #expect(machine.after { $0.sent(byteCount: 1) } == [])
        #expect(receive(&machine, head(200)) == [])
        #expect(finish(&machine, lost) == [])
        #expect(machine.after { $0.digested("x") } == [])
        #expect(machine.after { $0.sourceFailed(lost) } == [])
        #expect(machine.after { $0.cancel(terminates: true) } == [.release])
    }

    @Test func `an upload that is given up is taken back where there is something`() {
        var machine = interrupted()
        let effects = machine.after { $0.cancel(terminates: true) }
        #expect(effects.count == 3)
        guard case .terminate(let request) = effects[1] else {
            Issue.record("\(effects)")
            return
        }
        #expect(request.method == "DELETE")
        #expect(request.url == "http://example.com/resources/1")
        var unproven = self.machine()
        _ = unproven.after { $0.start() }
        #expect(unproven.after { $0.cancel(terminates: true) } == [.cancelLoad, .release])
    }

    @Test(arguments: [true, false])
    func `a tus server is told of the end only if it wants to know`(terminates: Bool) {
        let resource = UploadResource(
            url: "http://example.com/resources/1",
            language: .tus,
            tus: TusCapabilities(terminates: terminates)
        )
        var machine = machine(resource: resource)
        _ = machine.after { $0.start() }
        let effects = machine.after { $0.cancel(terminates: true) }
        #expect(effects.first == .cancelLoad)
        #expect(effects.count == (terminates ? 3 : 2))
    }

    @Test(arguments: [
        ("max-append-size=5", Int64(5)), ("max-size=9, max-append-size=7;a=b", 7),
        ("max-append-size=0", nil), ("max-append-size=-1", nil), ("nonsense", nil), ("", nil),
        ("max-append-size=99999999999999999999", nil),
    ])
    func `limits are read, and what cannot be one is none`(value: String, limit: Int64?) {
        #expect(UploadLimits(value).greatestAppend == limit)
    }
}
