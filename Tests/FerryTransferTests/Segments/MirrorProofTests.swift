import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct MirrorProofTests {
    typealias Machine = Download.StateMachine

    private static let request = TransferRequest(url: "http://host/file")
    private static let mirror = TransferRequest(url: "http://mirror/copy")
    private static let total: Int64 = 400_000
    private let now = ContinuousClock.now

    private static func whole(_ tag: String) -> HTTPResponseHead {
        head(
            200,
            [("ETag", tag), ("Content-Length", "\(total)"), ("Accept-Ranges", "bytes")],
            request.url
        )
    }

    private static func part(_ range: Range<Int64>) -> HTTPResponseHead {
        let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
        return head(206, [("ETag", "\"m\""), ("Content-Range", text)], mirror.url)
    }

    private static func head(
        _ status: Int,
        _ fields: [(String, String)],
        _ url: String
    ) -> HTTPResponseHead {
        HTTPResponseHead(
            status: status,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: url
        )
    }

    /// A machine that may have another connection, which has brought the first bytes of a version.
    private func begun() -> Machine {
        var machine = Machine(
            request: Self.request,
            configuration: Download.Configuration(
                segments: .eager(2, minimumSegmentBytes: 150_000),
                mirrors: [Self.mirror.url]
            )
        )
        _ = machine.after { $0.start(holding: nil) }
        receive(Self.whole("\"a\""), &machine)
        #expect(machine.after { $0.grow(at: now) } == [.askForConnection(source: 1)])
        return machine
    }

    private func receive(_ head: HTTPResponseHead, _ machine: inout Machine) {
        _ = machine.after { $0.receivedHead(head, to: Self.request, now: .now) }
        _ = machine.after { $0.receivedBytes(count: 100_000) }
        _ = machine.after { $0.wrote(count: 100_000) }
    }

    /// Has the mirror prove that it has the first bytes.
    private func prove(_ machine: inout Machine) {
        let range: Range<Int64> = 100_000 - Sources.probedByteCount..<100_000
        let effects = machine.after { $0.connectionAnswered(true, source: 1, at: now) }
        guard case .startProbe(let part, _, _, _)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(effects == [.startProbe(part, Self.mirror, range, source: 1)])
        #expect(machine.after { $0.probeAnswered(part, Self.part(range), at: now) } == [])
        _ = machine.after { $0.probeReceivedBytes(part, count: Int(range.byteCount), at: now) }
        _ = machine.after { $0.probeFinished(part, at: now) }
    }

    @Test func `a proof is worth nothing for another version`() throws {
        var machine = begun()
        prove(&machine)
        _ = machine.after { $0.connectionAnswered(false, source: 0, at: now) }
        let lost = TransferError(code: .connectionLost, message: "lost")
        #expect(
            machine.after { $0.loadFinished(lost, at: now) }.last == .askForConnection(source: 1)
        )
        // The mirror brings a part, and the next one is to come from the first server, which has changed.
        let start = machine.after { $0.connectionAnswered(true, source: 1, at: now) }
        guard case .startPart(let number, let asked, source: 1)? = start.last,
            let resumption = asked.resumption, let gap = resumption.gap
        else {
            Issue.record("\(start)")
            return
        }
        _ = machine.after { $0.partAnswered(number, Self.part(gap), to: resumption, at: now) }
        _ = machine.after { $0.partReceivedBytes(number, count: Int(gap.byteCount)) }
        _ = machine.after { $0.wrotePart(number, count: Int(gap.byteCount), at: now) }
        _ = machine.after { $0.partFinished(number, nil, at: now) }
        _ = machine.after { $0.connectionAnswered(false, source: 1, at: now) }
        // Its last bytes are compared, since it is as long as before.
        let other = machine.after {
            $0.receivedHead(Self.whole("\"b\""), to: Self.request, now: .now)
        }
        guard case .send(let comparison)? = other.last, let tail = comparison.resumption,
            let end = tail.gap?.upperBound
        else {
            Issue.record("\(other)")
            return
        }
        let text = "bytes \(tail.offset)-\(end - 1)/\(Self.total)"
        let part = [("ETag", "\"b\""), ("Content-Range", text)]
        _ = machine.after {
            $0.receivedHead(
                Self.head(206, part, Self.request.url),
                to: Self.request,
                now: .now
            )
        }
        _ = machine.after { $0.compareFailed() }
        receive(Self.whole("\"b\""), &machine)
        #expect(
            machine.after { $0.loadFinished(lost, at: now) }.last == .askForConnection(source: 1)
        )
        prove(&machine)
    }
}
