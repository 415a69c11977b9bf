import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

// A part that ends in good order, and is shorter or longer than what was asked for.

extension DownloadStateMachineTests {
    private static let total: Int64 = 655_360

    private static func relinked(_ held: Machine.Held) -> Machine {
        var machine = Machine(request: request, configuration: Download.Configuration(link: 1))
        _ = machine.after { $0.start(holding: held) }
        return machine
    }

    private static let longVersion = version(total: total)

    private static func longPart(_ range: ClosedRange<Int64>, tag: String) -> HTTPResponseHead {
        part("bytes \(range.lowerBound)-\(range.upperBound)/\(total)", tag: tag)
    }

    /// Whether the file is given up, and the whole is asked for.
    private func beginsAnew(_ effects: [Effect]) -> Bool {
        effects.contains { $0.refutesFile } && effects.last == Self.whole()
    }

    @Test func `TEST-2: a proof that is over before all bytes are compared proves nothing`() {
        let held = Machine.Held(byteCount: 200_000, version: Self.longVersion)
        var machine = Self.relinked(held)
        // The server sends less than it was asked for, which it may.
        _ = answer(&machine, Self.longPart(134_464...150_000, tag: "\"b\""))
        let effects = machine.after { $0.receivedBytes(count: 15_537) }
        #expect(effects == [.compare(count: 15_537, at: 134_464), .write(dropping: 15_537)])
        let count = machine.receivedByteCount
        #expect(machine.after { $0.loadFinished(nil) } == [Self.whole()])
        #expect(machine.receivedByteCount == count)
    }

    @Test func `TEST-2: nor does one for bytes in the midst of others`() {
        let written = ByteRanges([0..<131_072, 327_680..<400_000])
        let held = Machine.Held(
            byteCount: written.byteCount,
            version: Self.longVersion,
            segments: written
        )
        var machine = Self.relinked(held)
        _ = answer(&machine, Self.longPart(65_536...100_000, tag: "\"b\""))
        _ = machine.after { $0.receivedBytes(count: 34_465) }
        let count = machine.receivedByteCount
        #expect(machine.after { $0.loadFinished(nil) } == [Self.whole()])
        #expect(machine.receivedByteCount == count)
    }

    @Test func `TEST-2: the next proof is shorter, where it may be`() {
        let version = ResourceVersion(
            validator: .weak(""),
            totalByteCount: Self.total,
            url: Self.request.url
        )
        var machine = machine()
        _ = machine.after { $0.start(holding: Machine.Held(byteCount: 600_000, version: version)) }
        var asked: [String] = []
        for length: Int64 in [65_536, 32_768, 16_384, 8192, 4096, 2048, 1024] {
            let offset = 600_000 - length
            _ = answer(&machine, Self.part("bytes \(offset)-\(offset + 99)/\(Self.total)"))
            _ = machine.after { $0.receivedBytes(count: 100) }
            let next = machine.after { $0.loadFinished(nil) }.last
            guard case .send(let request)? = next else { break }
            asked.append(request.resumption?.fields.first?.value ?? "whole")
        }
        let shorter = [32_768, 16_384, 8192, 4096, 2048, 1024].map { "bytes=\(600_000 - $0)-" }
        #expect(asked == shorter + ["whole"])
        #expect(machine.receivedByteCount == 600_000)
    }

    @Test func `TEST-12: a part that reaches behind the gap it was asked for is refused`() {
        let written = ByteRanges([0..<40, 60..<100])
        let held = Machine.Held(byteCount: 80, version: Self.version(), segments: written)
        for range in ["bytes 40-60/100", "bytes 40-99/100"] {
            var machine = machine()
            _ = machine.after { $0.start(holding: held) }
            let effects = answer(&machine, Self.part(range))
            guard case .reportRestart? = effects.first else {
                Issue.record("\(effects)")
                return
            }
            #expect(effects.last == Self.whole())
        }
    }

    @Test func `TEST-12: bytes behind the end of a gap's part give up the file`() {
        let written = ByteRanges([0..<40, 60..<100])
        let held = Machine.Held(byteCount: 80, version: Self.version(), segments: written)
        var machine = machine()
        _ = machine.after { $0.start(holding: held) }
        _ = answer(&machine, Self.part("bytes 40-59/100"))
        #expect(beginsAnew(machine.after { $0.receivedBytes(count: 21) }))
    }

    @Test func `a gap's part that ends early leaves the rest of the gap to be asked for`() {
        let written = ByteRanges([0..<40, 60..<100])
        let held = Machine.Held(byteCount: 80, version: Self.version(), segments: written)
        var machine = machine()
        _ = machine.after { $0.start(holding: held) }
        _ = answer(&machine, Self.part("bytes 40-49/100"))
        _ = machine.after { $0.receivedBytes(count: 10) }
        _ = machine.after { $0.wrotePart(Machine.firstConnection, count: 10, at: .now) }
        let rest = Resumption(gap: 50..<60, version: Self.version())
        let next = Machine.Request(transfer: Self.request, resumption: rest)
        #expect(machine.after { $0.loadFinished(nil) }.last == .startPart(1, next, source: 0))
    }
}
