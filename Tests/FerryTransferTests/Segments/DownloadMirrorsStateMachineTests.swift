import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct DownloadMirrorsStateMachineTests {
    typealias Machine = Download.StateMachine
    typealias Effect = Machine.Effect

    private static let byteCount: Int64 = 1_000_000
    private static let request = TransferRequest(url: "http://host/file")
    private static let mirror = "http://mirror/copy"
    private let now = ContinuousClock.now

    private static func head(_ range: Range<Int64>, tag: String, url: String) -> HTTPResponseHead {
        let content = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
        return HTTPResponseHead(
            status: 206,
            version: "HTTP/1.1",
            fields: [
                HTTPField(name: "ETag", value: tag),
                HTTPField(name: "Content-Range", value: content),
            ],
            url: url
        )
    }

    private static func whole(_ tag: String, of byteCount: Int64 = byteCount) -> HTTPResponseHead {
        HTTPResponseHead(
            status: 200,
            version: "HTTP/1.1",
            fields: [
                HTTPField(name: "ETag", value: tag),
                HTTPField(name: "Content-Length", value: "\(byteCount)"),
                HTTPField(name: "Accept-Ranges", value: "bytes"),
            ],
            url: request.url
        )
    }

    /// A download by several connections, of which the first 100 000 bytes have come.
    private func receiving(by connections: Int) -> Machine {
        var machine = Machine(
            request: Self.request,
            configuration: Download.Configuration(
                segments: .eager(connections, minimumSegmentBytes: 1000),
                mirrors: [Self.mirror]
            )
        )
        _ = machine.after { $0.start(holding: nil) }
        _ = machine.after { $0.receivedHead(Self.whole("\"a\""), to: Self.request, now: .now) }
        _ = machine.after { $0.receivedBytes(count: 100_000) }
        _ = machine.after { $0.wrote(count: 100_000) }
        return machine
    }

    /// A mirror sends the bytes that it was asked for to compare them.
    private func prove(
        _ machine: inout Machine,
        _ probe: Int,
        _ range: Range<Int64>
    ) -> [Effect] {
        let answer = Self.head(range, tag: "\"m\"", url: Self.mirror)
        #expect(machine.after { $0.probeAnswered(probe, answer, at: now) } == [])
        _ = machine.after { $0.probeReceivedBytes(probe, count: range.count, at: now) }
        return machine.after { $0.probeFinished(probe, at: now) }
    }

    /// The first 100 000 bytes have come, and a mirror has proved that it has them too and was asked for a part.
    private func shared() throws -> (Machine, part: Int, Machine.Request) {
        var machine = receiving(by: 2)
        #expect(machine.after { $0.grow(at: now) } == [.askForConnection(source: 1)])
        let probe = machine.after { $0.connectionAnswered(true, source: 1, at: now) }
        guard case .startProbe(let number, let request, let range, 1)? = probe.first else {
            throw Unexpected(effects: probe)
        }
        #expect(request.url == Self.mirror)
        #expect(
            prove(&machine, number, range) == [
                .giveConnectionBack(source: 1), .askForConnection(source: 1),
            ]
        )
        let start = machine.after { $0.connectionAnswered(true, source: 1, at: now) }
        guard case .startPart(let part, let next, 1)? = start.last else {
            throw Unexpected(effects: start)
        }
        return (machine, part, next)
    }

    private struct Unexpected: Error {
        let effects: [Effect]
    }

    /// A download that a mirror has begun, which fails now; the app's own address is asked for the last bytes
    /// that are at hand.
    private func orphaned(
        _ fail: (inout Machine) -> [Effect]
    ) throws -> (Machine, probe: Int, Range<Int64>) {
        var machine = Machine(
            request: Self.request,
            configuration: Download.Configuration(
                segments: .eager(2, minimumSegmentBytes: 1000),
                mirrors: [Self.mirror]
            )
        )
        _ = machine.after { $0.start(holding: Self.begun) }
        let effects = fail(&machine)
        guard case .askForConnection(let home)? = effects.last else {
            throw Unexpected(effects: effects)
        }
        let probe = machine.after { $0.connectionAnswered(true, source: home, at: now) }
        guard case .startProbe(let number, let request, let range, _)? = probe.first else {
            throw Unexpected(effects: probe)
        }
        #expect(request.url == Self.request.url)
        return (machine, number, range)
    }

    private static let begun = Machine.Held(
        byteCount: 100_000,
        version: ResourceVersion(
            validator: .strongETag("\"m\""),
            totalByteCount: byteCount,
            url: mirror
        )
    )

    /// The mirror has the resource no longer.
    private func missing(_ machine: inout Machine) -> [Effect] {
        let head = HTTPResponseHead(status: 404, version: "HTTP/1.1", fields: [], url: Self.mirror)
        return machine.after {
            $0.receivedHead(
                head,
                to: TransferRequest(url: Self.mirror),
                now: .now,
                at: now
            )
        }
    }

    @Test func `what a mirror has begun does not keep the app's own address from its last word`()
        throws
    {
        var (machine, probe, _) = try orphaned(missing)
        // It cannot prove anything, as it does not know of parts.
        let effects = machine.after { $0.probeAnswered(probe, Self.whole("\"b\""), at: now) }
        #expect(effects.last == .send(Machine.Request(transfer: Self.request)))
        let other = Self.whole("\"b\"", of: Self.byteCount + 1)
        let answer = machine.after { $0.receivedHead(other, to: Self.request, now: .now) }
        #expect(answer.contains(.takeBody))
    }

    @Test func `other bytes at the app's own address take the place of a mirror's`() throws {
        var (machine, probe, range) = try orphaned(missing)
        let answer = Self.head(range, tag: "\"b\"", url: Self.request.url)
        #expect(machine.after { $0.probeAnswered(probe, answer, at: now) } == [])
        let effects = machine.after { $0.probeDiffers(probe, at: now) }
        #expect(effects.last == .send(Machine.Request(transfer: Self.request)))
    }

    @Test func `an app's own address that is out as well costs no bytes`() throws {
        var (machine, probe, _) = try orphaned(missing)
        let effects = machine.after { $0.probeFinished(probe, at: now) }
        #expect(!effects.contains { if case .send = $0 { true } else { false } })
        #expect(machine.hasEnded)
    }

    @Test func `a mirror that is out is waited for, but not for ever`() throws {
        var (machine, probe, _) = try orphaned { machine in
            machine.after {
                $0.loadFinished(
                    TransferError(code: .cannotConnectToHost, message: "out"),
                    at: now
                )
            }
        }
        _ = machine.after { $0.probeAnswered(probe, Self.whole("\"b\""), at: now) }
        #expect(machine.hasEnded)
        #expect(machine.fruitlessResumptionCount == 1)
        var held = Self.begun
        held.fruitlessResumptionCount = Machine.maximumFruitlessResumptionCount
        var later = Machine(
            request: Self.request,
            configuration: Download.Configuration(mirrors: [Self.mirror])
        )
        #expect(
            later.after { $0.start(holding: held) } == [
                .send(Machine.Request(transfer: Self.request))
            ]
        )
    }

    @Test func `what a mirror leaves to the last comes from the app's own address`() throws {
        var (machine, part, next) = try shared()
        let resumption = try #require(next.resumption)
        let range = try #require(resumption.gap)
        let answer = Self.head(range, tag: "\"m\"", url: Self.mirror)
        #expect(machine.after { $0.partAnswered(part, answer, to: resumption, at: now) } == [])
        // What is left of the mirror's part is not worth another connection.
        let missing = 1000
        let brought = range.count - missing
        _ = machine.after { $0.partReceivedBytes(part, count: brought) }
        _ = machine.after { $0.wrotePart(part, count: brought, at: now) }
        let rest = Int(range.lowerBound - 100_000)
        _ = machine.after { $0.receivedBytes(count: rest) }
        #expect(machine.after { $0.wrotePart(0, count: rest, at: now) }.contains(.cancelPart(0)))
        #expect(machine.totalByteCount == machine.receivedByteCount + Int64(missing))
        let loss = TransferError(code: .connectionLost, message: "reset")
        let effects = machine.after { $0.partFinished(part, loss, at: now) }
        guard case .startPart(_, let again, 0)? = effects.last else {
            throw Unexpected(effects: effects)
        }
        #expect(again.transfer == Self.request)
        #expect(again.resumption?.gap == range.suffix(missing))
        #expect(!machine.hasEnded)
    }

    @Test(arguments: [404, 429, 503])
    func `a server that fails for a part costs nothing that mirrors may have`(_ status: Int) throws
    {
        var machine = receiving(by: 3)
        // The mirror has a part, and the server another one beside that of its first answer.
        _ = machine.after { $0.grow(at: now) }
        var started = machine.after { $0.connectionAnswered(true, source: 1, at: now) }
        guard case .startProbe(let probe, _, let range, _)? = started.first else {
            throw Unexpected(effects: started)
        }
        started += machine.after { $0.connectionAnswered(true, source: 0, at: now) }
        guard case .startPart(let own, let ask, 0)? = started.last(where: \.isPart) else {
            throw Unexpected(effects: started)
        }
        _ = prove(&machine, probe, range)
        let next = machine.after { $0.connectionAnswered(true, source: 1, at: now) }
        guard case .startPart(let part, let asked, 1)? = next.last(where: \.isPart) else {
            throw Unexpected(effects: next)
        }
        let page = HTTPResponseHead(
            status: status,
            version: "HTTP/1.1",
            fields: [],
            url: Self.request.url
        )
        let resumption = try #require(ask.resumption)
        _ = machine.after { $0.partAnswered(own, page, to: resumption, at: now) }
        let wanted = try #require(asked.resumption)
        let gap = try #require(wanted.gap)
        let answer = Self.head(gap, tag: "\"m\"", url: Self.mirror)
        _ = machine.after { $0.partAnswered(part, answer, to: wanted, at: now) }
        let loss = TransferError(code: .connectionLost, message: "reset")
        _ = machine.after { $0.partFinished(0, loss, at: now) }
        let effects = machine.after { $0.partFinished(part, loss, at: now) }
        #expect(!effects.contains { if case .send = $0 { true } else { false } })
        var end = loss
        end.holdsBytes = true
        #expect(effects.last == .fail(end))
    }

    @Test func `where there is one connection too, a mirror's end is not that of a download`()
        throws
    {
        var machine = Machine(
            request: Self.request,
            configuration: Download.Configuration(mirrors: [Self.mirror])
        )
        var held = Self.begun
        held.segments = ByteRanges([0..<100_000, 200_000..<300_000])
        held.byteCount = 200_000
        _ = machine.after { $0.start(holding: held) }
        let answer = Self.head(100_000..<200_000, tag: "\"m\"", url: Self.mirror)
        let request = TransferRequest(url: Self.mirror)
        #expect(
            machine.after { $0.receivedHead(answer, to: request, now: .now, at: now) }.last
                == .takeBody
        )
        let loss = TransferError(code: .connectionLost, message: "reset")
        let effects = machine.after { $0.loadFinished(loss, at: now) }
        guard case .askForConnection(let home)? = effects.last else {
            throw Unexpected(effects: effects)
        }
        #expect(machine.request(of: home) == Self.request)
    }

    @Test func `a mirror that sends too much is left, and its fault is not the download's`() throws
    {
        var (machine, part, next) = try shared()
        let range = try #require(next.resumption?.gap)
        let answer = Self.head(range, tag: "\"m\"", url: Self.mirror)
        let resumption = try #require(next.resumption)
        #expect(machine.after { $0.partAnswered(part, answer, to: resumption, at: now) } == [])
        let effects = machine.after { $0.partReceivedBytes(part, count: range.count + 1) }
        #expect(effects.first == .cancelLoads)
        #expect(effects.contains { $0.refutesFile })
        #expect(effects.last == .send(Machine.Request(transfer: Self.request)))
        // The mirror is not asked again.
        _ = machine.after { $0.receivedHead(Self.whole("\"a\""), to: Self.request, now: .now) }
        _ = machine.after { $0.receivedBytes(count: 100_000) }
        _ = machine.after { $0.wrote(count: 100_000) }
        #expect(machine.after { $0.grow(at: now) } == [.askForConnection(source: 0)])
    }
}

extension Download.StateMachine.Effect {
    /// Whether a part is asked for.
    fileprivate var isPart: Bool {
        if case .startPart = self { true } else { false }
    }
}
