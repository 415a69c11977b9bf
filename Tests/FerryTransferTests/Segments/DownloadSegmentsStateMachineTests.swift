import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct DownloadSegmentsStateMachineTests {
    typealias Machine = Download.StateMachine
    typealias Effect = Machine.Effect

    static let url = "http://host/file"
    static let request = TransferRequest(url: url)
    static let version = ResourceVersion(
        validator: .strongETag("\"a\""),
        totalByteCount: 1000,
        url: url
    )
    static let lost = TransferError(code: .connectionLost, message: "lost")
    let now = ContinuousClock.now

    static func head(_ status: Int, _ fields: [(String, String)]) -> HTTPResponseHead {
        HTTPResponseHead(
            status: status,
            version: "HTTP/1.1",
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: url
        )
    }

    static func whole(
        _ more: [(String, String)] = [("Accept-Ranges", "bytes")]
    )
        -> HTTPResponseHead
    {
        head(200, [("ETag", "\"a\""), ("Content-Length", "1000")] + more)
    }

    static func part(_ range: Range<Int64>, tag: String = "\"a\"") -> HTTPResponseHead {
        let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/1000"
        return head(206, [("ETag", tag), ("Content-Range", text)])
    }

    static func ask(_ range: Range<Int64>) -> Machine.Request {
        Machine.Request(
            transfer: request,
            resumption: Resumption(gap: range, version: version)
        )
    }

    func machine(
        _ policy: Download.SegmentPolicy = .eager(2, minimumSegmentBytes: 100)
    )
        -> Machine
    {
        Machine(request: Self.request, configuration: Download.Configuration(segments: policy))
    }

    /// A machine whose first connection has brought 100 bytes when there may be another one.
    private func grown(head: HTTPResponseHead = whole()) -> (Machine, [Effect]) {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        _ = machine.after { $0.receivedHead(head, to: Self.request, now: .now) }
        _ = machine.after { $0.receivedBytes(count: 100) }
        _ = machine.after { $0.wrote(count: 100) }
        let effects = machine.after { $0.grow(at: now) }
        return (machine, effects)
    }

    /// Two connections: the first is at byte 100 and ends at 775, the second has asked for the rest.
    func divided() -> Machine {
        var (machine, effects) = grown()
        #expect(effects == [.askForConnection(source: 0)])
        #expect(
            machine.after { $0.connectionAnswered(true, source: 0, at: now) } == [
                .beginSegments, .startPart(1, Self.ask(775..<1000), source: 0),
            ]
        )
        return machine
    }

    func bring(_ machine: inout Machine, _ part: Int, _ count: Int) -> [Effect] {
        let received =
            part == 0
            ? machine.after { $0.receivedBytes(count: count) }
            : machine.after { $0.partReceivedBytes(part, count: count) }
        guard case .writePart(_, _, let written)? = received.last else { return received }
        return machine.after { $0.wrotePart(part, count: written, at: now) }
    }

    @Test(arguments: [.max, .max - 4096] as [Int64])
    func `a length beyond every disk has no parts`(length: Int64) {
        let fields = [
            ("ETag", "\"a\""), ("Content-Length", "\(length)"), ("Accept-Ranges", "bytes"),
        ]
        let (_, effects) = grown(head: Self.head(200, fields))
        #expect(effects.isEmpty)
    }

    @Test func `two connections bring one body`() {
        var machine = divided()
        #expect(
            machine.after {
                $0.partAnswered(
                    1,
                    Self.part(775..<1000),
                    to: Self.ask(775..<1000).resumption!,
                    at: now
                )
            } == []
        )
        #expect(
            machine.after { $0.partReceivedBytes(1, count: 225) } == [
                .writePart(1, at: 775, count: 225)
            ]
        )
        #expect(
            machine.after { $0.wrotePart(1, count: 225, at: now) } == [
                .reportProgress(received: 325, total: 1000)
            ]
        )
        // Too much is in flight on the first one for another division.
        let end = machine.after { $0.partFinished(1, nil, at: now) }
        #expect(end.first == .giveConnectionBack(source: 0))
        #expect(end.dropFirst() == [.askForConnection(source: 0)])
        #expect(machine.after { $0.connectionAnswered(false, source: 0, at: now) } == [])
        // The first connection stops where the other one has begun.
        #expect(
            machine.after { $0.receivedBytes(count: 700) } == [.writePart(0, at: 100, count: 675)]
        )
        #expect(
            machine.after { $0.wrotePart(0, count: 675, at: now) } == [
                .reportProgress(received: 1000, total: 1000), .cancelPart(0), .endSegments,
                .synchronize,
            ]
        )
        #expect(machine.after { $0.synchronized() }.count == 1)
    }

    @Test(arguments: [
        [], [("Accept-Ranges", "none")],
    ])
    func `a server that does not offer parts is asked for none`(fields: [(String, String)]) {
        #expect(grown(head: Self.whole(fields)).1 == [])
    }

    @Test func `nor is one whose versions nothing tells apart`() {
        let weak = Self.head(
            200,
            [("ETag", "W/\"a\""), ("Content-Length", "1000"), ("Accept-Ranges", "bytes")]
        )
        #expect(grown(head: weak).1 == [])
    }

    @Test func `one connection is all where no more are wanted`() {
        var machine = machine(.off)
        _ = machine.after { $0.start(holding: nil) }
        _ = machine.after { $0.receivedHead(Self.whole(), to: Self.request, now: .now) }
        _ = machine.after { $0.receivedBytes(count: 100) }
        _ = machine.after { $0.wrote(count: 100) }
        #expect(machine.after { $0.grow(at: now) } == [])
        #expect(machine.after { $0.grow(at: now + .seconds(9)) } == [])
    }

    @Test(arguments: [
        whole(), part(775..<1000, tag: "\"b\""), part(774..<1000), head(503, []), head(416, []),
        head(302, [("Location", "/")]), head(206, [("ETag", "\"a\"")]),
        head(206, [("ETag", "\"a\""), ("Content-Range", "bytes 775-999/1001")]),
    ])
    func `an answer that proves nothing ends that connection, and the growth`(
        head: HTTPResponseHead
    ) {
        var machine = divided()
        let effects = machine.after {
            $0.partAnswered(
                1,
                head,
                to: Self.ask(775..<1000).resumption!,
                at: now
            )
        }
        #expect(effects == [.cancelPart(1), .giveConnectionBack(source: 0)])
        #expect(machine.after { $0.grow(at: now + .seconds(100)) } == [])
        // The first connection was asked for the rest as well, and goes on.
        #expect(
            machine.after { $0.receivedBytes(count: 700) } == [.writePart(0, at: 100, count: 700)]
        )
        #expect(
            machine.after { $0.wrotePart(0, count: 700, at: now) } == [
                .reportProgress(received: 800, total: 1000)
            ]
        )
        _ = bring(&machine, 0, 200)
        #expect(machine.after { $0.loadFinished(nil, at: now) } == [.endSegments, .synchronize])
    }

    @Test func `a part that is less than was asked for leaves the rest to be asked for`() {
        var machine = divided()
        _ = machine.after {
            $0.partAnswered(
                1,
                Self.part(775..<800),
                to: Self.ask(775..<1000).resumption!,
                at: now
            )
        }
        _ = bring(&machine, 1, 25)
        let next = machine.after { $0.partFinished(1, nil, at: now) }
        #expect(next == [.giveConnectionBack(source: 0), .askForConnection(source: 0)])
        #expect(
            machine.after { $0.connectionAnswered(true, source: 0, at: now) } == [
                .startPart(2, Self.ask(800..<1000), source: 0)
            ]
        )
    }

    @Test func `what a lost connection has not brought is fetched from there on`() {
        var machine = divided()
        _ = machine.after {
            $0.partAnswered(
                1,
                Self.part(775..<1000),
                to: Self.ask(775..<1000).resumption!,
                at: now
            )
        }
        _ = bring(&machine, 1, 150)
        #expect(
            machine.after { $0.partFinished(1, Self.lost, at: now) } == [
                .giveConnectionBack(source: 0), .askForConnection(source: 0),
            ]
        )
        #expect(
            machine.after { $0.connectionAnswered(true, source: 0, at: now) } == [
                .startPart(2, Self.ask(925..<1000), source: 0)
            ]
        )
    }

    @Test func `when the first connection is lost the other one goes on`() {
        var machine = divided()
        _ = machine.after {
            $0.partAnswered(
                1,
                Self.part(775..<1000),
                to: Self.ask(775..<1000).resumption!,
                at: now
            )
        }
        _ = bring(&machine, 0, 100)
        // It has brought enough to be worth another try, and needs no connection of somebody else's.
        #expect(
            machine.after { $0.loadFinished(Self.lost, at: now) } == [
                .startPart(2, Self.ask(200..<400), source: 0)
            ]
        )
    }

    @Test func `when none is left the download fails, and all that was written is kept`() {
        var machine = divided()
        #expect(
            machine.after { $0.partFinished(1, Self.lost, at: now) } == [
                .giveConnectionBack(source: 0)
            ]
        )
        var lost = Self.lost
        lost.holdsBytes = true
        #expect(machine.after { $0.loadFinished(Self.lost, at: now) } == [.fail(lost)])
    }

    @Test func `the next attempt asks for what is missing, gap after gap`() {
        var machine = machine(.off)
        let written = ByteRanges([0..<100, 400..<500, 900..<1000])
        let held = Machine.Held(byteCount: 300, version: Self.version, segments: written)
        #expect(machine.after { $0.start(holding: held) } == [.send(Self.ask(100..<400))])
        let begun = machine.after {
            $0.receivedHead(Self.part(100..<400), to: Self.request, now: .now)
        }
        #expect(begun.contains(.continueFile(Self.version)))
        #expect(begun.contains(.reportResumption(offset: 300, total: 1000)))
        #expect(bring(&machine, 0, 300) == [.reportProgress(received: 600, total: 1000)])
        #expect(
            machine.after { $0.loadFinished(nil, at: now) } == [
                .startPart(1, Self.ask(500..<900), source: 0)
            ]
        )
        _ = machine.after {
            $0.partAnswered(
                1,
                Self.part(500..<900),
                to: Self.ask(500..<900).resumption!,
                at: now
            )
        }
        _ = bring(&machine, 1, 400)
        #expect(machine.after { $0.partFinished(1, nil, at: now) } == [.endSegments, .synchronize])
    }

    @Test func `a byte of a gap ends the count of fruitless attempts`() {
        var machine = machine(.off)
        let held = Machine.Held(
            byteCount: 200,
            version: Self.version,
            fruitlessResumptionCount: 3,
            segments: ByteRanges([0..<100, 900..<1000])
        )
        #expect(machine.after { $0.start(holding: held) } == [.send(Self.ask(100..<900))])
        _ = machine.after { $0.receivedHead(Self.part(100..<900), to: Self.request, now: .now) }
        #expect(machine.fruitlessResumptionCount == 3)
        _ = machine.after { $0.receivedBytes(count: 1) }
        #expect(machine.fruitlessResumptionCount == 0)
    }

    @Test func `a version that has changed meanwhile starts over`() {
        var machine = machine()
        let held = Machine.Held(
            byteCount: 100,
            version: Self.version,
            segments: ByteRanges([900..<1000])
        )
        #expect(machine.after { $0.start(holding: held) } == [.send(Self.ask(0..<900))])
        let other = Self.head(200, [("ETag", "\"b\""), ("Content-Length", "2000")])
        let effects = machine.after { $0.receivedHead(other, to: Self.request, now: .now) }
        #expect(effects.contains { if case .beginFile = $0 { true } else { false } })
        #expect(machine.receivedByteCount == 0)
        #expect(machine.after { $0.receivedBytes(count: 10) } == [.write(dropping: 0)])
    }

    @Test func `a connection does not stop for one that was not answered yet`() {
        var machine = divided()
        #expect(
            machine.after { $0.receivedBytes(count: 675) } == [
                .cancelPart(1), .giveConnectionBack(source: 0),
                .writePart(0, at: 100, count: 675),
            ]
        )
        _ = machine.after { $0.wrotePart(0, count: 675, at: now) }
        #expect(
            machine.after { $0.receivedBytes(count: 225) } == [.writePart(0, at: 775, count: 225)]
        )
    }

    @Test func `a server that fails at parts is asked for none when it sends the whole`() {
        var machine = machine()
        let held = Machine.Held(
            byteCount: 100,
            version: Self.version,
            fruitlessResumptionCount: Machine.maximumFruitlessResumptionCount
        )
        #expect(
            machine.after { $0.start(holding: held) } == [
                .send(Machine.Request(transfer: Self.request))
            ]
        )
        _ = machine.after { $0.receivedHead(Self.whole(), to: Self.request, now: .now) }
        _ = machine.after { $0.receivedBytes(count: 100) }
        _ = machine.after { $0.wrote(count: 100) }
        #expect(machine.after { $0.grow(at: now) } == [])
    }

    @Test func `when all answers were refused one request finds out why`() {
        var machine = divided()
        _ = bring(&machine, 0, 600)
        _ = machine.after { $0.loadFinished(Self.lost, at: now) }
        _ = machine.after {
            $0.partAnswered(
                2,
                Self.head(503, []),
                to: Self.ask(700..<775).resumption!,
                at: now
            )
        }
        let effects = machine.after {
            $0.partAnswered(
                1,
                Self.whole(),
                to: Self.ask(775..<1000).resumption!,
                at: now
            )
        }
        #expect(
            effects == [
                .cancelPart(1), .giveConnectionBack(source: 0), .send(Self.ask(700..<1000)),
            ]
        )
        let again = machine.after { $0.receivedHead(Self.whole(), to: Self.request, now: .now) }
        // Whether it does not know of parts any more is asked again later.
        #expect(again.contains { if case .recordDoubt = $0 { true } else { false } })
        guard case .fail(let error)? = again.last else {
            Issue.record("\(again)")
            return
        }
        #expect(error.code == .answerDoubted)
        #expect(machine.receivedByteCount == 700)
    }

    @Test func `a part that is longer than announced refutes all that is there`() {
        var machine = divided()
        _ = machine.after {
            $0.partAnswered(
                1,
                Self.part(775..<1000),
                to: Self.ask(775..<1000).resumption!,
                at: now
            )
        }
        let effects = machine.after { $0.partReceivedBytes(1, count: 226) }
        #expect(effects.first == .cancelLoads)
        guard case .continueFile(let version)? = effects.dropFirst().first else {
            Issue.record("\(effects)")
            return
        }
        #expect(version.isRefuted)
        #expect(effects.last == .send(Machine.Request(transfer: Self.request)))
        // What comes instead is weighed against it, and takes its place.
        let whole = machine.after { $0.receivedHead(Self.whole(), to: Self.request, now: .now) }
        #expect(whole.contains { if case .beginFile = $0 { true } else { false } })
    }

    @Test func `cancelling ends every connection and gives back what was lent`() {
        var machine = divided()
        #expect(machine.after { $0.cancel() } == [.cancelLoads])
        #expect(machine.after { $0.partFinished(1, nil, at: now) } == [])
    }

    @Test func `a file that cannot be written ends every connection`() {
        var machine = divided()
        let full = TransferError(code: .diskFull, message: "full")
        #expect(machine.after { $0.fileFailed(full) } == [.cancelLoads, .fail(full)])
    }
}
