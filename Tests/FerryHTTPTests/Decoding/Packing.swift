import CBrotliEncoder
import CZlib
import CZstd
import Testing

@testable import FerryHTTP

/// Bodies in their codings, packed by the libraries that most servers have.
enum Packing {
    /// The bytes in a coding.
    static func pack(_ bytes: [UInt8], _ coding: ContentCoding) throws -> [UInt8] {
        switch coding {
        case .gzip: try deflate(bytes, windowBits: 15 + 16)
        case .deflate: try deflate(bytes, windowBits: 15)
        case .brotli: try brotli(bytes)
        case .zstd: try zstd(bytes)
        }
    }

    /// Deflate: in gzip's format, in zlib's, or without one (−15).
    static func deflate(_ bytes: [UInt8], windowBits: Int32) throws -> [UInt8] {
        var stream = z_stream()
        try #require(CZlib_deflateInit(&stream, 6, windowBits) == Z_OK)
        defer { deflateEnd(&stream) }
        var bytes = bytes
        var output = [UInt8](
            repeating: 0,
            count: Int(deflateBound(&stream, UInt(bytes.count))) + 64
        )
        let code = bytes.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return CZlib.deflate(&stream, Z_FINISH)
            }
        }
        try #require(code == Z_STREAM_END)
        return Array(output.dropLast(Int(stream.avail_out)))
    }

    private static func brotli(_ bytes: [UInt8]) throws -> [UInt8] {
        var count = max(BrotliEncoderMaxCompressedSize(bytes.count), 16)
        var output = [UInt8](repeating: 0, count: count)
        let isPacked = BrotliEncoderCompress(
            5,
            BROTLI_DEFAULT_WINDOW,
            BROTLI_MODE_GENERIC,
            bytes.count,
            bytes,
            &count,
            &output
        )
        try #require(isPacked == 1)
        return Array(output.prefix(count))
    }

    /// A frame with a checksum; of a window of this many bits, if that is given.
    static func zstd(_ bytes: [UInt8], windowLog: Int32? = nil) throws -> [UInt8] {
        let context = try #require(ZSTD_createCCtx())
        defer { ZSTD_freeCCtx(context) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        if let windowLog { ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog) }
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count) + 64)
        let count = bytes.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { output in
                var given = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
                var room = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                // Without an announced size, the window stands in the frame.
                ZSTD_compressStream2(context, &room, &given, ZSTD_e_flush)
                let left = ZSTD_compressStream2(context, &room, &given, ZSTD_e_end)
                return left == 0 ? room.pos : 0
            }
        }
        try #require(count > 0)
        return Array(output.prefix(count))
    }

    /// Bytes that can be packed, but not too well: words from a list, by a generator that starts at a seed.
    static func text(seed: UInt64, byteCount: Int) -> [UInt8] {
        let words = ["ferry ", "harbour ", "pier ", "anchor, ", "a ", "tide.\n", "\u{0}\u{1}", "ö"]
        var state = seed
        var result: [UInt8] = []
        while result.count < byteCount {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            result += words[Int(state >> 61)].utf8
            if state >> 56 & 3 == 0 { result.append(UInt8(truncatingIfNeeded: state >> 40)) }
        }
        return Array(result.prefix(byteCount))
    }
}

/// What a decoder has made of a body.
struct Unpacked: Equatable {
    var bytes: [UInt8] = []
    /// Whether the body may end where it has.
    var isComplete = false
    var error: HTTPError.Code?
    /// The largest number of bytes that a step has made.
    var largestStep = 0

    /// Decodes a body that comes in pieces.
    init(_ body: [UInt8], _ codings: [ContentCoding], piece byteCount: Int) {
        do {
            let decoder = try BodyDecoder(codings)
            for start in stride(from: 0, to: body.count, by: max(byteCount, 1)) {
                let piece = Array(body[start..<min(start + byteCount, body.count)])
                try piece.withUnsafeBytes { piece in
                    var rest = piece
                    while let step = try decoder.step(&rest) {
                        bytes += step.bytes
                        largestStep = max(largestStep, step.madeByteCount)
                    }
                    #expect(rest.isEmpty && decoder.isDry)
                }
            }
            isComplete = decoder.isComplete
        } catch {
            self.error = (error as? HTTPError)?.code ?? .other
        }
    }
}
