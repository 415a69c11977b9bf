import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

extension DownloadSegmentsStateMachineTests {
    /// What a download holds is at several places, and another address is to prove itself.
    private func relinked() -> (Machine, [Effect]) {
        let size: Int64 = 64 << 10
        let version = ResourceVersion(
            validator: .strongETag("\"a\""),
            totalByteCount: size * 10,
            url: "http://host/file"
        )
        let held = Machine.Held(
            byteCount: size * 4,
            version: version,
            segments: ByteRanges([0..<size * 2, size * 5..<size * 7])
        )
        var machine = Machine(
            request: TransferRequest(url: "http://host/file"),
            configuration: Download.Configuration(link: 1)
        )
        let effects = machine.after { $0.start(holding: held) }
        return (machine, effects)
    }

    private func answer(_ range: String, tag: String? = "\"b\"") -> HTTPResponseHead {
        let fields = [("Content-Range", range)] + (tag.map { [("ETag", $0)] } ?? [])
        return HTTPResponseHead(
            status: 206,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: "http://host/file"
        )
    }

    @Test func `parts at several places are kept when bytes of one prove another address`() throws {
        var (machine, effects) = relinked()
        guard case .send(let request)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(request.resumption?.fields.map(\.value) == ["bytes=65536-131071"])
        effects = machine.after {
            $0.receivedHead(
                answer("bytes 65536-131071/655360"),
                to: request.transfer,
                now: HTTPDate(secondsSince1970: 0)
            )
        }
        #expect(effects.last == .takeBody)
        effects = machine.after { $0.receivedBytes(count: 60_000) }
        #expect(effects == [.compare(count: 60_000, at: 65_536)])
        effects = machine.after { $0.receivedBytes(count: 5_536) }
        #expect(effects.first == .compare(count: 5_536, at: 125_536))
        guard case .continueFile(let version)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(version.validator == .strongETag("\"b\""))
        effects = machine.after { $0.loadFinished(nil) }
        guard case .send(let rest)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(rest.resumption?.fields.map(\.value) == ["bytes=131072-327679", "\"b\""])
    }

    @Test func `without a validator there is nothing to ask for parts by`() {
        var (machine, effects) = relinked()
        guard case .send(let request)? = effects.last else { return }
        effects = machine.after {
            $0.receivedHead(
                answer("bytes 65536-131071/655360", tag: nil),
                to: request.transfer,
                now: HTTPDate(secondsSince1970: 0)
            )
        }
        #expect(effects.contains { if case .reportRestart = $0 { true } else { false } })
    }
}
