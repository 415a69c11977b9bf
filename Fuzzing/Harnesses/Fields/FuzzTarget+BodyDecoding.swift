import CBrotli
import CZlib
import CZstd

@testable import FerryHTTP

extension FuzzTarget {
    /// A body is decoded the same however its bytes arrive, and to what its library makes of it in one call.
    static let bodyDecoding = FuzzTarget("body-decoding", upTo: 512) { input throws(Finding) in
        var input = input
        let step = 1 + Int(input.takeNumber() % 64)
        let choice = Int(input.takeNumber())
        let all = ContentCoding.allCases
        let inner = all[choice % 4]
        let codings = choice / 4 % 4 == 0 ? [inner, all[choice / 16 % 4]] : [inner]
        let body = input.rest
        let whole = try decode(body, codings, step: max(1, body.count))
        let parts = try decode(body, codings, step: step)
        try expectSame(whole.hasFailed, parts.hasFailed, "a failure in steps of \(step)")
        guard !whole.hasFailed else { return }
        try expectSame(whole.isComplete, parts.isComplete, "the end in steps of \(step)")
        try expect(whole.bytes == parts.bytes, "other bytes in steps of \(step)")
        guard codings.count == 1, !whole.isCutShort else { return }
        let reference = reference(body, inner)
        // In one call, zstd refuses empty blocks that it reads in several, and has no limit for windows.
        let mayDiffer = inner == .zstd && (reference == nil || !whole.isComplete)
        try expect(
            mayDiffer || reference == (whole.isComplete ? whole.bytes : nil),
            "\(whole.isComplete ? whole.bytes.count : -1) bytes, and \(reference?.count ?? -1) by the library alone"
        )
    }

    private struct Decoded {
        var bytes: [UInt8] = []
        var isComplete = false
        var hasFailed = false
        /// Whether it was more than there is time for.
        var isCutShort = false
    }

    private static let maximumByteCount = 1 << 20

    private static func decode(
        _ body: [UInt8],
        _ codings: [ContentCoding],
        step: Int
    ) throws(Finding) -> Decoded {
        var result = Decoded()
        guard let decoder = try? BodyDecoder(codings) else {
            throw Finding(description: "no memory")
        }
        var madeByteCount = 0
        for start in stride(from: 0, to: body.count, by: step) {
            let piece = Array(body[start..<min(start + step, body.count)])
            let problem = piece.withUnsafeBytes { piece -> String? in
                var rest = piece
                do throws(HTTPError) {
                    while madeByteCount <= maximumByteCount, let made = try decoder.step(&rest) {
                        guard made.madeByteCount <= BodyDecoder.stepByteCount,
                            made.bytes.count <= made.madeByteCount
                        else { return "a step of \(made.madeByteCount) bytes" }
                        madeByteCount += made.madeByteCount
                        result.bytes += made.bytes
                    }
                    result.isCutShort = madeByteCount > maximumByteCount
                    return result.isCutShort || rest.isEmpty && decoder.isDry
                        ? nil : "bytes are left"
                } catch {
                    result.hasFailed = true
                    return error.code == .cannotDecodeContent ? nil : "\(error)"
                }
            }
            if let problem { throw Finding(description: problem) }
            if result.hasFailed || result.isCutShort { break }
        }
        // How much was made by then depends on the steps.
        if result.isCutShort { return Decoded(isCutShort: true) }
        result.isComplete = !result.hasFailed && decoder.isComplete
        return result
    }

    /// What a library makes of a whole body; `nil` for an error or an end that is missing.
    private static func reference(_ body: [UInt8], _ coding: ContentCoding) -> [UInt8]? {
        switch coding {
        case .gzip: inflated(body, windowBits: 15 + 16)
        case .deflate:
            body.count >= 2 && body[0] & 0x0F == 8 && body[0] < 0x80
                && (Int(body[0]) << 8 + Int(body[1])) % 31 == 0
                ? inflated(body, windowBits: 15) : inflated(body, windowBits: -15)
        case .brotli:
            room { output, count in
                BrotliDecoderDecompress(body.count, body, &count, output.baseAddress)
                    == BROTLI_DECODER_RESULT_SUCCESS
            }
        case .zstd:
            room { output, count in
                count = ZSTD_decompress(output.baseAddress, output.count, body, body.count)
                return ZSTD_isError(count) == 0
            }
        }
    }

    private static func room(
        _ fill: (UnsafeMutableBufferPointer<UInt8>, inout Int) -> Bool
    ) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: maximumByteCount + BodyDecoder.stepByteCount)
        var count = output.count
        let isFilled = output.withUnsafeMutableBufferPointer { fill($0, &count) }
        return isFilled ? Array(output.prefix(count)) : nil
    }

    private static func inflated(_ body: [UInt8], windowBits: Int32) -> [UInt8]? {
        var stream = z_stream()
        guard CZlib_inflateInit(&stream, windowBits) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var body = body
        return body.withUnsafeMutableBufferPointer { body in
            room { output, count in
                stream.next_in = body.baseAddress
                stream.avail_in = UInt32(body.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                var code = inflate(&stream, Z_FINISH)
                while code == Z_STREAM_END, stream.avail_in > 0, windowBits > 15 {
                    inflateReset(&stream)
                    code = inflate(&stream, Z_FINISH)
                }
                count = output.count - Int(stream.avail_out)
                return code == Z_STREAM_END && stream.avail_in == 0
            }
        }
    }
}
