import CBrotli

/// Undoes brotli, whose windows are of 16 MiB at most (RFC 7932 §9.1).
final class BrotliDecoder: CodingDecoder {
    private let state: OpaquePointer
    private(set) var isComplete = false

    /// Prepares for a body.
    init() throws(HTTPError) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
            throw .noMemory(for: .brotli)
        }
        self.state = state
    }

    deinit {
        BrotliDecoderDestroyInstance(state)
    }

    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(HTTPError) -> DecodedCounts {
        guard !isComplete else {
            guard input.isEmpty else { throw .undecodable(.brotli, .surplus) }
            return DecodedCounts()
        }
        var (given, room) = (input.count, output.count)
        var nextInput = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var nextOutput = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = BrotliDecoderDecompressStream(
            state,
            &given,
            &nextInput,
            &room,
            &nextOutput,
            nil
        )
        switch result {
        case BROTLI_DECODER_RESULT_ERROR:
            let code = BrotliDecoderGetErrorCode(state)
            let text = BrotliDecoderErrorString(code).map { String(cString: $0) }
            throw .undecodable(.brotli, text ?? "brotli fails (\(code.rawValue))")
        case BROTLI_DECODER_RESULT_SUCCESS:
            isComplete = true
        default:
            break
        }
        return DecodedCounts(consumed: input.count - given, produced: output.count - room)
    }
}
