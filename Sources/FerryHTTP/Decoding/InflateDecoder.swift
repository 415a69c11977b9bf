import CZlib

/// Undoes gzip and deflate, by zlib.
///
/// A body in gzip may have several members, one after the other (RFC 1952 §2.2). By deflate, RFC 9110 §8.4.1.2 means zlib's
/// format; what some servers send in its place, deflate without anything around it, is told by its first two bytes.
final class InflateDecoder: CodingDecoder {
    private let coding: ContentCoding
    // zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isSetUp = false
    /// The first bytes of deflate, which tell its format.
    private var beginning: [UInt8] = []
    private(set) var isComplete = false

    /// Prepares for a body.
    ///
    /// - Parameter coding: gzip or deflate.
    /// - Throws: ``HTTPError/Code/outOfMemory``.
    init(_ coding: ContentCoding) throws(HTTPError) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        if coding == .gzip { try setUp(windowBits: Self.gzipWindowBits) }
    }

    deinit {
        if isSetUp { inflateEnd(stream) }
        stream.deallocate()
    }

    /// zlib's numbers for its formats, each with the largest window.
    private static let gzipWindowBits: Int32 = 15 + 16
    private static let zlibWindowBits: Int32 = 15
    private static let rawWindowBits: Int32 = -15

    private func setUp(windowBits: Int32) throws(HTTPError) {
        guard CZlib_inflateInit(stream, windowBits) == Z_OK else { throw .noMemory(for: coding) }
        isSetUp = true
    }

    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(HTTPError) -> DecodedCounts {
        guard !isSetUp else { return try inflateMembers(input, into: output) }
        let taken = input.prefix(2 - beginning.count)
        beginning += taken
        guard beginning.count == 2 else { return DecodedCounts(consumed: taken.count) }
        try setUp(windowBits: isZlib ? Self.zlibWindowBits : Self.rawWindowBits)
        // Two bytes are a header, or hold next to nothing.
        let counts = beginning.withUnsafeBytes { bytes in
            Result { () throws(HTTPError) in try inflateMembers(bytes, into: output) }
        }
        return DecodedCounts(consumed: taken.count, produced: try counts.get().produced)
    }

    /// Whether the first two bytes are zlib's header (RFC 1950 §2.2), as which no usual deflate begins: the bits that a
    /// stored block leaves unused would not be zeros.
    private var isZlib: Bool {
        beginning[0] & 0x0F == 8 && beginning[0] >> 4 <= 7
            && (Int(beginning[0]) << 8 | Int(beginning[1])) % 31 == 0
    }

    private func inflateMembers(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(HTTPError) -> DecodedCounts {
        var counts = DecodedCounts()
        while counts.produced < output.count {
            if isComplete {
                guard counts.consumed < input.count else { break }
                // Every member begins with it (RFC 1952 §2.3.1).
                guard coding == .gzip, input[counts.consumed] == 0x1F else {
                    throw .undecodable(coding, .surplus)
                }
                inflateReset(stream)
                isComplete = false
            }
            let (consumed, produced) = (counts.consumed, counts.produced)
            let code = inflate(input, into: output, &counts)
            switch code {
            case Z_STREAM_END: isComplete = true
            case Z_OK where counts.consumed > consumed || counts.produced > produced: continue
            // It needs more input.
            case Z_OK, Z_BUF_ERROR: return counts
            case Z_MEM_ERROR: throw .noMemory(for: coding)
            case Z_NEED_DICT: throw .undecodable(coding, "it needs a dictionary")
            default:
                throw .undecodable(
                    coding,
                    stream.pointee.msg.map { String(cString: $0) } ?? "zlib fails (\(code))"
                )
            }
        }
        return counts
    }

    /// Calls zlib once.
    private func inflate(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer,
        _ counts: inout DecodedCounts
    ) -> Int32 {
        let given = UInt32(clamping: input.count - counts.consumed)
        let room = UInt32(clamping: output.count - counts.produced)
        // zlib does not write to its input.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.advanced(by: counts.consumed)
                .assumingMemoryBound(to: UInt8.self)
        )
        stream.pointee.avail_in = given
        stream.pointee.next_out = output.baseAddress?.advanced(by: counts.produced)
            .assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = room
        let code = CZlib.inflate(stream, Z_NO_FLUSH)
        counts.consumed += Int(given - stream.pointee.avail_in)
        counts.produced += Int(room - stream.pointee.avail_out)
        return code
    }
}
