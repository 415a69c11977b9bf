import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// What a whole body is to bytes that are here: see docs/decisions/partial-files.md.
@Suite(.timeLimit(.minutes(5))) struct OddAnswerTests {
    typealias Machine = Download.StateMachine

    private static let url = "http://host/file"
    private static let zip = "application/zip"

    private static func head(
        _ status: Int = 200,
        tag: String? = "\"b\"",
        length: Int64? = 2000,
        type: String? = zip,
        url: String = url
    ) -> HTTPResponseHead {
        var head = HTTPResponseHead(status: status, fields: [], url: url)
        let fields = [
            ("ETag", tag), ("Content-Length", length.map(String.init)), ("Content-Type", type),
        ]
        for case (let name, let value?) in fields {
            head.fields.append(HTTPField(name: name, value: value))
        }
        return head
    }

    private static func held(
        _ validator: Validator = .strongETag("\"a\""),
        total: Int64? = 1000,
        type: String? = zip,
        segments: ByteRanges? = nil,
        agreed: OddAnswer? = nil
    ) -> Machine.Held {
        Machine.Held(
            byteCount: 400,
            version: ResourceVersion(
                validator: validator,
                totalByteCount: total,
                url: url,
                mediaType: type
            ),
            segments: segments,
            agreed: agreed
        )
    }

    private func weigh(
        _ head: HTTPResponseHead,
        _ held: Machine.Held = held(),
        isNamed: Bool = false,
        _ configuration: Download.Configuration = Download.Configuration()
    ) -> Download.Weight {
        configuration.weigh(head, against: held, isNamed: isNamed)
    }

    @Test(arguments: [
        head(), head(type: nil), head(length: 400),
        head(type: "Application/ZIP; q=1"),
        head(tag: "W/\"b\""), head(url: url + "?signed"),
    ])
    func `KEEP-1: an ordinary new version replaces the bytes at once`(head: HTTPResponseHead) {
        #expect(weigh(head) == .replacement)
    }

    @Test(arguments: [
        head(tag: nil, length: 877, type: "text/html"),
        head(tag: nil, length: 877, type: "text/html; charset=utf-8"),
        head(tag: nil, length: nil, type: "text/html"),
        head(length: 877_000, type: "text/html"),
        head(tag: "\"a\"", length: 1000, type: "text/html"),
        head(type: "application/xhtml+xml"),
        head(204, length: nil), head(300), head(304, tag: "\"a\""), head(203), head(226),
        head(tag: nil, type: "text/html", url: "http://portal/login"),
    ])
    func `KEEP-1: a page in place of a file is never the file`(head: HTTPResponseHead) {
        #expect(weigh(head) == .odd)
        #expect(weigh(head, Self.held(agreed: OddAnswer(head))) == .odd)
        let unknown = Self.held(type: nil, agreed: OddAnswer(head))
        #expect(weigh(head, unknown) == .odd)
    }

    @Test(arguments: [
        head(length: 399), head(length: 0), head(type: "application/json"),
        head(tag: nil), head(url: "http://other/file"), head(url: "https://host/file"),
        head(length: nil), head(tag: nil, type: nil),
    ])
    func `KEEP-1: an odd answer replaces the bytes when it has come again`(head: HTTPResponseHead) {
        let answer = OddAnswer(head)
        #expect(weigh(head) == .odd)
        #expect(weigh(head, Self.held(agreed: OddAnswer(Self.head()))) == .odd)
        #expect(weigh(head, Self.held(agreed: answer)) == .replacement)
    }

    @Test func `KEEP-1: a file that is to have a digest is not given up for an odd answer`() throws
    {
        let head = Self.head(length: 399)
        let digest = Digest(.sha256, Array(repeating: 1, count: 32))
        let configuration = Download.Configuration(digests: [digest])
        let held = Self.held(agreed: OddAnswer(head))
        #expect(weigh(head, held, configuration) == .odd)
        #expect(weigh(Self.head(), held, configuration) == .replacement)
        // The server says that it is the same version, and its bytes were others before.
        for validator in [Validator.strongETag("\"a\""), .weak("W/\"a\"")] {
            let same = Self.head(tag: validator.text, length: nil)
            let differing = Self.held(validator, total: nil, agreed: OddAnswer(same))
            #expect(weigh(same, differing, configuration) == .replacement)
        }
    }

    @Test func `KEEP-4: the same in another coding is never the file`() {
        for length in [Int64?.some(2000), 399, nil] {
            var head = Self.head(tag: "\"a\"", length: length)
            head.fields.append(HTTPField(name: "Content-Encoding", value: "gzip"))
            #expect(weigh(head) == .odd)
            #expect(weigh(head, Self.held(agreed: OddAnswer(head))) == .odd)
        }
    }

    @Test(arguments: [
        (Validator.strongETag("\"a\""), head(tag: "\"a\"", length: 1008)),
        (.weak(""), head(tag: nil, length: 700)), (.weak("W/\"a\""), head(tag: "W/\"a\"")),
    ])
    func `KEEP-1: what says no other version and has another length is compared`(
        validator: Validator,
        head: HTTPResponseHead
    ) {
        #expect(weigh(head, Self.held(validator)) == .same)
        #expect(weigh(head, Self.held(validator, agreed: OddAnswer(head))) == .replacement)
        let parts = Self.held(validator, segments: ByteRanges([0..<200, 800..<1000]))
        #expect(weigh(head, parts) == .odd)
    }

    @Test func `KEEP-3: a date that is later says nothing under the same strong tag`() {
        var head = Self.head(tag: "\"a\"", length: 1000)
        head.fields.append(HTTPField(name: "Last-Modified", value: "Mon, 02 Nov 2026 08:00:01 GMT"))
        var held = Self.held()
        held.version.sent = 1_793_606_400
        #expect(weigh(head, held) == .same)
        var other = Self.held(.strongETag("\"z\""))
        other.version.sent = 1_793_606_400
        #expect(weigh(head, other) == .replacement)
    }

    @Test func `KEEP-1: of an address that the user has named, only the body can be odd`() {
        let head = Self.head(tag: nil, url: "http://other/file")
        #expect(weigh(head, isNamed: true) == .replacement)
        #expect(weigh(head, Self.held(), Download.Configuration(link: 1)) == .replacement)
        let short = Self.head(length: 300, url: "http://other/file")
        #expect(weigh(short, isNamed: true) == .replacement)
        let empty = Self.head(tag: nil, length: 0, url: "http://other/file")
        #expect(weigh(empty, isNamed: true) == .odd)
        let unknown = Self.head(tag: nil, length: nil, type: nil, url: "http://other/file")
        #expect(weigh(unknown, isNamed: true) == .odd)
        let page = Self.head(tag: nil, length: 877, type: "text/html", url: "http://other/file")
        #expect(weigh(page, isNamed: true) == .odd)
        #expect(weigh(page, Self.held(), Download.Configuration(link: 1)) == .odd)
    }

    @Test(arguments: [
        (Validator.strongETag("\"a\""), head(tag: "\"a\"", length: 1000)),
        (.strongETag("\"a\""), head(tag: "\"a\"", length: nil)),
        (.weak("W/\"a\""), head(tag: "W/\"a\"", length: 1000)),
        (.weak(""), head(tag: nil, length: 1000)),
    ])
    func `KEEP-3: the whole of the same version is compared with what is here`(
        validator: Validator,
        head: HTTPResponseHead
    ) {
        #expect(weigh(head, Self.held(validator)) == .same)
        // It cannot be compared where it has gaps.
        let parts = Self.held(validator, segments: ByteRanges([0..<200, 800..<1000]))
        #expect([.comparable, .odd].contains(weigh(head, parts)))
    }

    @Test(arguments: [
        head(length: 1000), head(tag: nil, length: 1000), head(tag: "W/\"b\"", length: 1000),
        head(length: 1000, url: "http://node2/file"),
    ])
    func `KEEP-3: what is as long as the file may be the same under another tag`(
        head: HTTPResponseHead
    ) {
        #expect(weigh(head) == .comparable)
    }

    @Test func `KEEP-1: the error says what came, and from where`() {
        let head = Self.head(
            tag: nil,
            length: 877,
            type: "text/html",
            url: "http://hotel/login?x=1"
        )
        let error = OddAnswer(head).error(at: head.url)
        #expect(error.code == .answerDoubted)
        #expect(
            error.message
                == "the server at hotel answered with something else (text/html, 877 bytes)"
        )
        let redirect = Self.head(300, tag: nil, length: nil, type: nil)
        #expect(
            OddAnswer(redirect).error(at: Self.url).message
                == "the server at host answered with something else (status 300, no media type)"
        )
    }

    @Test func `KEEP-1: no clock that is set and no restart makes an answer older than it is`() {
        let boot = BootIdentifier(rawValue: "1")
        let next = BootIdentifier(rawValue: "2")
        let doubt = Doubt(OddAnswer(Self.head()), in: boot, at: 5000)
        #expect(doubt.age(in: boot, at: 5059) == .seconds(59))
        #expect(doubt.age(in: boot, at: 5060) == .seconds(60))
        // Another boot: it is as old as that, at least.
        #expect(doubt.age(in: next, at: 10) == .seconds(10))
        #expect(doubt.age(in: next, at: 60) == .seconds(60))
        #expect(doubt.age(in: boot, at: 4000) == .zero)
    }
}

extension DownloadStateMachineTests {
    private static let page = head(200, [("Content-Type", "text/html"), ("Content-Length", "877")])

    @Test(arguments: [nil, 206, 304, 412, 416])
    func `KEEP-1: a login page costs no byte, to whatever request it comes`(before: Int?) {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        if let before {
            _ = answer(&machine, Self.head(before, []))
        }
        let effects = answer(&machine, Self.page)
        #expect(effects.prefix(2) == [.recordDoubt(OddAnswer(Self.page)), .cancelLoads])
        #expect(failure(effects)?.code == .answerDoubted)
        #expect(effects.count == 3)
        #expect(machine.receivedByteCount == 40)
    }

    /// What answers a request for a file that has no parts, and what it is.
    private static let wholes: [(fields: [(String, String)], isDecoded: Bool)] = [
        ([("ETag", "\"a\""), ("Content-Length", "100"), ("Accept-Ranges", "none")], false),
        ([("ETag", "W/\"a\""), ("Content-Length", "100"), ("Accept-Ranges", "none")], false),
        ([("Content-Length", "100"), ("Accept-Ranges", "none")], false),
        ([("ETag", "\"a\""), ("Content-Encoding", "gzip"), ("Content-Length", "30")], true),
        ([("Last-Modified", "yesterday"), ("Content-Encoding", "br")], true),
    ]

    @Test(arguments: wholes.indices)
    func `KEEP-1: a file that has no parts is asked for as a whole, and no page takes its place`(
        index: Int
    ) throws {
        var whole = Self.head(200, Self.wholes[index].fields)
        whole.isDecoded = Self.wholes[index].isDecoded
        var first = machine()
        _ = first.after { $0.start(holding: nil) }
        guard case .beginFile(let version)? = answer(&first, whole).first else {
            Issue.record("no file")
            return
        }
        let held = Machine.Held(byteCount: 40, version: version)
        var second = machine()
        #expect(second.after { $0.start(holding: held) } == [Self.whole()])
        #expect(failure(answer(&second, Self.page))?.code == .answerDoubted)
        #expect(second.receivedByteCount == 40)
        // The same comes again: the first bytes are compared.
        var third = machine()
        _ = third.after { $0.start(holding: held) }
        #expect(answer(&third, whole).last == .takeBody)
        let effects = third.after { $0.receivedBytes(count: 60) }
        #expect(effects.first == .compare(count: 40, at: 0))
        #expect(effects.last == .write(dropping: 40))
        _ = third.after { $0.wrote(count: 20) }
        #expect(third.receivedByteCount == 60)
    }

    @Test(arguments: [true, false])
    func `KEEP-2: a file that has no parts is asked for as a whole under another address, too`(
        isDecoded: Bool
    ) {
        let version = ResourceVersion(
            validator: isDecoded ? .weak("\"a\"") : .strongETag("\"a\""),
            totalByteCount: isDecoded ? nil : 1 << 20,
            url: Self.url,
            hasParts: false
        )
        var machine = Machine(
            request: Self.request,
            configuration: Download.Configuration(link: 1)
        )
        let held = Machine.Held(byteCount: 1 << 19, version: version)
        #expect(machine.after { $0.start(holding: held) } == [Self.whole()])
    }

    @Test func `KEEP-1: what was decoded and says no version is begun anew`() {
        var head = Self.head(200, [("Content-Encoding", "gzip")])
        head.isDecoded = true
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        guard case .beginFile(let version)? = answer(&machine, head).first else {
            Issue.record("no file")
            return
        }
        #expect(version.validator == nil)
    }

    @Test func `KEEP-1: a shorter file replaces the bytes when it has come again`() {
        let short = Self.head(200, [("ETag", "\"b\""), ("Content-Length", "30")])
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        #expect(failure(answer(&machine, short))?.code == .answerDoubted)
        var held = Self.held
        held.agreed = OddAnswer(short)
        var later = self.machine()
        _ = later.after { $0.start(holding: held) }
        #expect(answer(&later, short).contains(.beginFile(Self.version("\"b\"", total: 30))))
    }

    @Test func `KEEP-3: a body that ends before what is here is not the file`() {
        var machine = machine()
        let held = Machine.Held(byteCount: 40, version: Self.version(total: nil))
        _ = machine.after { $0.start(holding: held) }
        let head = Self.head(200, [("ETag", "\"a\"")])
        #expect(answer(&machine, head) == [.takeBody])
        _ = machine.after { $0.receivedBytes(count: 30) }
        #expect(failure(machine.after { $0.loadFinished(nil) })?.code == .answerDoubted)
        #expect(machine.receivedByteCount == 40)
    }

    @Test(arguments: [Int64?.none, 100])
    func `KEEP-1: a body of unknown length proves nothing where nothing says its version`(
        total: Int64?
    ) {
        let version = ResourceVersion(
            validator: .weak(""),
            totalByteCount: total,
            url: Self.request.url
        )
        let head = Self.head(200, [])
        var held = Machine.Held(byteCount: 40, version: version)
        var machine = machine()
        _ = machine.after { $0.start(holding: held) }
        var effects = answer(&machine, head)
        if total == nil {
            #expect(effects.last == .takeBody)
            _ = machine.after { $0.receivedBytes(count: 30) }
            effects = machine.after { $0.compareFailed() }
        }
        #expect(failure(effects)?.code == .answerDoubted)
        #expect(!effects.contains(.discardFile))
        // It has come again.
        held.agreed = OddAnswer(head)
        var later = self.machine()
        _ = later.after { $0.start(holding: held) }
        #expect(answer(&later, head).last == .takeBody)
        #expect(later.receivedByteCount == 0)
    }

    @Test func `KEEP-1: a part that brings nothing new is not asked for again and again`() {
        var machine = machine()
        var held = Self.long(.weak(""))
        held.byteCount = 1 << 19
        var effects = machine.after { $0.start(holding: held) }
        var requests = 0
        while case .send(let request)? = effects.last, let resumption = request.resumption {
            requests += 1
            let range = "bytes \(resumption.offset)-\((1 << 19) - 1)/\(1 << 20)"
            _ = answer(&machine, Self.head(206, [("Content-Range", range)]))
            _ = machine.after { $0.receivedBytes(count: (1 << 19) - Int(resumption.offset)) }
            _ = machine.after { $0.wrote(count: 0) }
            effects = machine.after { $0.loadFinished(nil) }
        }
        #expect(requests == 7)
        #expect(effects.last == Self.whole())
        #expect(machine.receivedByteCount == 1 << 19)
    }

    @Test func `KEEP-3: a resource that was modified after its first bytes were sent is another`() {
        var held = Self.long(.strongETag("\"a\""))
        // Mon, 02 Nov 2026 08:00:00 GMT.
        held.version.sent = 1_793_606_400
        let range = ("Content-Range", "bytes 524288-1048575/1048576")
        for (date, isCompared) in [("07:59:59", true), ("08:00:01", false)] {
            let modified = ("Last-Modified", "Mon, 02 Nov 2026 \(date) GMT")
            var machine = machine()
            _ = machine.after { $0.start(holding: held) }
            let effects = answer(&machine, Self.head(206, [range, ("ETag", "\"b\""), modified]))
            guard case .send(let request)? = effects.last else {
                Issue.record("\(effects)")
                return
            }
            #expect((request.resumption != nil) == isCompared)
            guard !isCompared else { continue }
            let whole = Self.head(
                200,
                [("ETag", "\"b\""), ("Content-Length", "1048576"), modified]
            )
            #expect(
                answer(&machine, whole).contains { if case .beginFile = $0 { true } else { false } }
            )
        }
    }

    private static func long(_ validator: Validator, others: [ResourceVersion] = []) -> Machine.Held
    {
        var version = ResourceVersion(validator: validator, totalByteCount: 1 << 20, url: url)
        for other in others { version.include(other) }
        return Machine.Held(byteCount: 1 << 19, version: version)
    }

    private static func long(_ tag: String?, from offset: Int64) -> HTTPResponseHead {
        let range = ("Content-Range", "bytes \(offset)-1048575/1048576")
        return head(206, [range] + (tag.map { [("ETag", $0)] } ?? []))
    }

    private func fields(_ effects: [Effect]) -> [String] {
        guard case .send(let request)? = effects.last else { return [] }
        return request.resumption?.fields.map(\.value) ?? ["whole"]
    }

    @Test(arguments: [Validator.weak(""), .weak("W/\"a\""), .weak("yesterday")])
    func `KEEP-3: without a validator the last bytes are compared`(validator: Validator) {
        var machine = machine()
        let offset: Int64 = (1 << 19) - (64 << 10)
        #expect(
            fields(machine.after { $0.start(holding: Self.long(validator)) }) == [
                "bytes=\(offset)-"
            ]
        )
        #expect(answer(&machine, Self.long(nil, from: offset)) == [.takeBody])
        let effects = machine.after { $0.receivedBytes(count: 70_000) }
        #expect(effects.first == .compare(count: 65_536, at: offset))
        #expect(effects.last == .write(dropping: 65_536))
        let shown = machine.after { $0.wrote(count: 4464) }
        #expect(shown.contains(.reportResumption(offset: 1 << 19, total: 1 << 20)))
    }

    @Test(arguments: ["\"b\"", nil])
    func `KEEP-3: a part with another tag, or without, is compared`(tag: String?) {
        var machine = machine()
        let held = Self.long(.strongETag("\"a\""))
        #expect(fields(machine.after { $0.start(holding: held) }) == ["bytes=524288-", "\"a\""])
        let offset: Int64 = (1 << 19) - (64 << 10)
        let effects = answer(&machine, Self.long(tag, from: 1 << 19))
        #expect(effects.first == .cancelLoads)
        #expect(fields(effects) == ["bytes=\(offset)-"])
        #expect(answer(&machine, Self.long(tag, from: offset)) == [.takeBody])
        let proved = machine.after { $0.receivedBytes(count: 65_536) }
        guard case .continueFile(let version)? = proved.dropFirst().first else {
            Issue.record("nothing is continued")
            return
        }
        #expect(version.isOf(.strongETag("\"a\"")))
        #expect(version.isOf(tag.map { .strongETag($0) } ?? .weak("")))
    }

    @Test func `KEEP-3: the tags of several nodes are known after one comparison each`() {
        let held = Self.long(.strongETag("\"b\""), others: [Self.version("\"a\"")])
        for tag in ["\"a\"", "\"b\""] {
            var machine = machine()
            // A condition would keep one of them from answering.
            #expect(fields(machine.after { $0.start(holding: held) }) == ["bytes=524288-"])
            let effects = answer(&machine, Self.long(tag, from: 1 << 19))
            #expect(effects.first == .continueFile(held.version))
        }
        var machine = machine()
        _ = machine.after { $0.start(holding: held) }
        #expect(answer(&machine, Self.long("\"c\"", from: 1 << 19)).first == .cancelLoads)
    }

    /// Bytes of a mirror that have proved to be those of the first address.
    private static func ofMirror(
        _ validator: Validator,
        at url: String = "http://b/there",
        like other: Validator
    ) -> ResourceVersion {
        var version = ResourceVersion(validator: validator, totalByteCount: 1 << 20, url: url)
        version.include(ResourceVersion(validator: other, totalByteCount: 1 << 20, url: Self.url))
        return version
    }

    private static let date = "Sun, 01 Nov 2026 00:00:00 GMT"

    @Test(
        arguments: [
            // A tag of the first address is known there, and under its path at another server.
            (Validator.strongETag("\"a\""), "ETag", "\"a\"", url, true),
            (.strongETag("\"a\""), "ETag", "\"a\"", url.replacing("://", with: "://other."), true),
            (.strongETag("\"a\""), "ETag", "\"c\"", url, false),
            (.strongETag("\"a\""), "ETag", "\"a\"", "http://b/elsewhere", false),
            (.strongETag("\"a\""), "ETag", "\"a\"", "http://b/there", false),
            // So is the tag of the mirror, which both may have.
            (.strongETag("\"a\""), "ETag", "\"b\"", "http://b/there", true),
            (.strongETag("\"a\""), "ETag", "\"b\"", url, false),
            (.strongETag("\"b\""), "ETag", "\"b\"", url, true),
            (.strongETag("\"b\""), "ETag", "\"b\"", "http://b/there", true),
            // A date is known at its own server, and has to be there.
            (.lastModified(date), "Last-Modified", date, url, true),
            (
                .lastModified(date), "Last-Modified", date, url.replacing("://", with: "://other."),
                false
            ),
            (.lastModified(date), "Vary", "*", url, false),
            (.weak("W/\"a\""), "ETag", "W/\"a\"", url, false),
        ] as [(Validator, String, String, String, Bool)]
    )
    func `KEEP-3: what a mirror's bytes were compared with is known where it was found`(
        first: Validator,
        name: String,
        value: String,
        url: String,
        isOfVersion: Bool
    ) {
        let version = Self.ofMirror(.strongETag("\"b\""), like: first)
        let part = HTTPResponseHead(
            status: 206,
            version: "HTTP/1.1",
            fields: [HTTPField(name: name, value: value)],
            url: url
        )
        #expect((version.mismatch(withPart: part) == nil) == isOfVersion)
    }

    @Test func `KEEP-3: a date that is no condition has to be in the part`() {
        let version = Self.ofMirror(.lastModified(Self.date), like: .strongETag("\"a\""))
        #expect(version.ifRange == nil)
        func part(_ fields: [HTTPField]) -> HTTPResponseHead {
            HTTPResponseHead(
                status: 206,
                version: "HTTP/1.1",
                fields: fields,
                url: "http://b/there"
            )
        }
        #expect(version.mismatch(withPart: part([])) != nil)
        let dated = part([HTTPField(name: "Last-Modified", value: Self.date)])
        #expect(version.mismatch(withPart: dated) == nil)
        // Where it is the condition, a server may leave it out.
        let alone = ResourceVersion(
            validator: .lastModified(Self.date),
            totalByteCount: 1 << 20,
            url: "http://b/there"
        )
        #expect(alone.mismatch(withPart: part([])) == nil)
    }

    @Test func `KEEP-3: bytes that differ begin the file anew`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.long(.weak(""))) }
        _ = answer(&machine, Self.long(nil, from: (1 << 19) - (64 << 10)))
        _ = machine.after { $0.receivedBytes(count: 1000) }
        let effects = machine.after { $0.compareFailed() }
        #expect(effects.contains { $0.refutesFile })
        #expect(fields(effects) == ["whole"])
    }

    @Test func `KEEP-3: a comparison that is always cut off becomes shorter`() {
        var lengths: [Int64] = []
        for count in 0..<10 {
            var held = Self.long(.weak(""))
            held.fruitlessResumptionCount = count
            var machine = machine()
            let start = machine.after { $0.start(holding: held) }
            guard case .send(let request)? = start.last else { continue }
            lengths.append((1 << 19) - (request.resumption?.offset ?? 0))
            _ = answer(&machine, Self.long(nil, from: request.resumption?.offset ?? 0))
            _ = machine.after { $0.receivedBytes(count: 1000) }
            _ = machine.after { $0.loadFinished(Self.lost) }
            #expect(machine.fruitlessResumptionCount == count + 1)
        }
        #expect(lengths.first == 65_536)
        #expect(lengths.last == 1024)
        #expect(lengths == lengths.sorted(by: >))
    }
}
