import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// A body that counts what is read of it from where it was sent last.
@LoopActor
private final class CountedSource: HTTPBodySource {
    private let source: BytesBodySource<[UInt8]>
    private(set) var readByteCount = 0

    init(_ bytes: [UInt8]) { source = BytesBodySource(bytes) }

    var byteCount: Int64? { source.byteCount }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        let reading = source.read(into: buffer)
        if case .bytes(let count) = reading { readByteCount += count }
        return reading
    }

    func seek(to offset: Int64) -> Bool {
        readByteCount = 0
        return source.seek(to: offset)
    }
}

extension ResumableUploadTests {
    @Test func `a part that becomes due during a pause is sent after it`() async throws {
        let asked = AsyncValue<Bool>()
        let gate = FixtureGate()
        let server = try UploadServer(version: 8) { request in
            if request.method == "PUT" { return .cutting(after: 1_000) }
            if request.method == "HEAD" {
                asked.set(true)
                gate.wait()
            }
            return UploadBehaviour()
        }
        try teach(server)
        let source = CountedSource(content.bytes)
        // The body is checked before the question, and before the part.
        let checks = Countdown(2)
        let probe = ResumableUploadProbe(
            TransferRequest(url: server.url("/in"), method: "PUT", idleTimeout: 30),
            ResumableUpload.Body(source) { answer in
                _ = checks.take()
                answer(nil)
            },
            client: client,
            memory: memory,
            configuration()
        )
        _ = await asked.value
        probe.upload?.pause()
        gate.open()
        await checks.wait(for: 2)
        // Another upload's end shows that the loop has gone round in the meantime.
        let other = try UploadServer(version: 8)
        let second = try upload(to: other)
        await second.end()
        #expect(source.readByteCount == 0)
        probe.upload?.resume()
        await probe.end()
        #expect(probe.error == nil)
        #expect(difference(server) == nil)
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH"])
    }
}
