import FerryHTTP
import FerrySystem
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct UploadPartTests {
    /// The next bytes of a part; `nil` when there are none.
    private func read(_ part: UploadPart, upTo count: Int) -> String? {
        var bytes = [UInt8](repeating: 0, count: count)
        let reading = bytes.withUnsafeMutableBytes { part.read(into: $0) }
        guard case .bytes(let length) = reading else { return nil }
        return String(decoding: bytes[..<length], as: UTF8.self)
    }

    @Test(arguments: [(3, "6"), (nil, "6789")] as [(Int64?, String)])
    func `a part has its bytes once, and goes back only before the first of them`(
        byteCount: Int64?,
        rest: String
    ) {
        let source = BytesBodySource(Array("0123456789".utf8))
        _ = source.seek(to: 4)
        let part = UploadPart(source, byteCount: byteCount)
        var goesBack = part.seek(to: 0)
        #expect(goesBack)
        goesBack = part.seek(to: 1)
        #expect(!goesBack)
        #expect(read(part, upTo: 2) == "45")
        goesBack = part.seek(to: 0)
        #expect(!goesBack)
        #expect(read(part, upTo: 10) == rest)
        #expect(read(part, upTo: 10) == nil)
        goesBack = part.seek(to: 0)
        #expect(!goesBack)
    }
}
