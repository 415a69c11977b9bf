/// Undoes one coding.
protocol CodingDecoder: AnyObject {
    /// Whether everything that was decoded is whole: the body may end here.
    ///
    /// `false` before the first byte.
    var isComplete: Bool { get }

    /// Decodes bytes, until they are used up or the output is full.
    ///
    /// If the output is full, there may be more of it, even without further input.
    ///
    /// - Parameters:
    ///   - input: The bytes that follow those that were consumed.
    ///   - output: Where to write, not empty.
    /// - Returns: How many bytes of each were used.
    /// - Throws: ``HTTPError/Code/cannotDecodeContent`` for bytes that are not in this coding, also for those that follow
    ///   its end.
    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(HTTPError) -> DecodedCounts
}

/// How many bytes a decoder has used.
struct DecodedCounts {
    /// Those of its input.
    var consumed = 0
    /// Those of its output.
    var produced = 0
}

extension HTTPError {
    /// The failure of a body that is not as its coding says.
    static func undecodable(_ coding: ContentCoding, _ detail: String) -> HTTPError {
        HTTPError(
            code: .cannotDecodeContent,
            message: "The body is not as its content coding (\(coding.rawValue)) says: \(detail)"
        )
    }

    /// The failure of a library that has no memory.
    static func noMemory(for coding: ContentCoding) -> HTTPError {
        HTTPError(code: .outOfMemory, message: "No memory is left to decode \(coding.rawValue)")
    }
}

extension String {
    /// The words of a C library for people.
    static let surplus = "bytes follow its end"
}
