import CZstd

/// Undoes zstd: any number of frames, with those that are to be skipped (RFC 8878 §3.1).
final class ZstdDecoder: CodingDecoder {
    private let context: OpaquePointer
    private(set) var isComplete = false
    private var hasBegun = false
    /// The first bytes of a frame, which may tell how many it holds.
    private var header: [UInt8] = []
    /// How many bytes the frame has held so far.
    private var frameByteCount = 0

    /// The length of the longest header (RFC 8878 §3.1.1), behind four bytes that every frame begins with.
    private static let maximumHeaderByteCount = 18

    /// Prepares for a body.
    init() throws(HTTPError) {
        guard let context = ZSTD_createDCtx() else { throw .noMemory(for: .zstd) }
        self.context = context
        // A greater one is refused before there is memory for it.
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.maximumWindowLog)
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    /// RFC 9659 §3: what a client has to be able to decode is 8 MiB, and no server may use more.
    private static let maximumWindowLog: Int32 = 23

    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(HTTPError) -> DecodedCounts {
        var counts = DecodedCounts()
        repeat {
            let isBetweenFrames = isComplete || !hasBegun
            // Without input, zstd would begin another frame.
            if isBetweenFrames, counts.consumed == input.count { return counts }
            if isBetweenFrames {
                try checkBeginning(of: input[counts.consumed])
                header = []
                frameByteCount = 0
            }
            hasBegun = true
            let (consumed, produced) = (counts.consumed, counts.produced)
            // zstd unpacks a frame that it gets as a whole by other rules: without a limit of the window.
            let end = isBetweenFrames ? consumed + 1 : input.count
            try decompress(input[consumed..<end], into: output[produced...], &counts)
            // It needs more input.
            guard counts.consumed > consumed || counts.produced > produced else { return counts }
        } while counts.produced < output.count
        return counts
    }

    /// Refuses what begins neither a frame nor one to be skipped; zstd would also read formats of its past.
    private func checkBeginning(of first: UInt8) throws(HTTPError) {
        guard first == 0x28 || (0x50...0x5F).contains(first) else {
            throw .undecodable(.zstd, hasBegun ? .surplus : "it does not begin with a frame")
        }
    }

    private func decompress(
        _ input: Slice<UnsafeRawBufferPointer>,
        into output: Slice<UnsafeMutableRawBufferPointer>,
        _ counts: inout DecodedCounts
    ) throws(HTTPError) {
        let (input, output) = (
            UnsafeRawBufferPointer(rebasing: input), UnsafeMutableRawBufferPointer(rebasing: output)
        )
        var given = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var room = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = ZSTD_decompressStream(context, &room, &given)
        guard ZSTD_isError(result) == 0 else {
            guard ZSTD_getErrorCode(result) != ZSTD_error_memory_allocation else {
                throw .noMemory(for: .zstd)
            }
            throw .undecodable(.zstd, String(cString: ZSTD_getErrorName(result)))
        }
        isComplete = result == 0
        counts.consumed += given.pos
        counts.produced += room.pos
        header += input.prefix(given.pos).prefix(Self.maximumHeaderByteCount - header.count)
        frameByteCount += room.pos
        if isComplete { try checkLength() }
    }

    /// Refuses a frame that holds fewer bytes than it says; zstd overlooks that if its last block is empty.
    private func checkLength() throws(HTTPError) {
        switch ZSTD_getFrameContentSize(header, header.count) {
        // ZSTD_CONTENTSIZE_UNKNOWN and ZSTD_CONTENTSIZE_ERROR, macros that Swift does not import.
        case .max, .max - 1: break
        case UInt64(frameByteCount): break
        default: throw .undecodable(.zstd, "a frame is of another length than it says")
        }
    }
}
