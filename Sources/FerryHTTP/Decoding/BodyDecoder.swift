/// Undoes the codings of a body, one after the other, as its bytes arrive.
///
/// It works in small steps, each of which makes a bounded number of bytes: its owner may stop after any of them, and go on
/// later with the same bytes. What it keeps is bounded, too: the libraries' windows, and ``stepByteCount`` for each coding.
final class BodyDecoder {
    /// The result of a step.
    struct Step {
        /// The decoded bytes, if there are any, until the next call.
        var bytes: UnsafeRawBufferPointer
        /// How many bytes the step has made, also those that another coding is around.
        var madeByteCount: Int
    }

    /// The largest number of bytes that a step makes.
    static let stepByteCount = 64 << 10

    /// The codings, in the order in which they are undone.
    private let layers: [Layer]
    /// Whether there was any byte.
    private(set) var hasBegun = false

    /// Prepares for a body.
    ///
    /// - Parameter codings: The codings in the order in which they were applied, at least one.
    /// - Throws: ``HTTPError/Code/outOfMemory``.
    init(_ codings: [ContentCoding]) throws(HTTPError) {
        var layers: [Layer] = []
        for coding in codings.reversed() {
            let decoder: any CodingDecoder =
                switch coding {
                case .gzip, .deflate: try InflateDecoder(coding)
                case .brotli: try BrotliDecoder()
                case .zstd: try ZstdDecoder()
                }
            layers.append(Layer(decoder))
        }
        self.layers = layers
    }

    /// Whether what was decoded is whole: the body may end here.
    var isComplete: Bool { layers.allSatisfy { $0.decoder.isComplete && !$0.hasMore } }

    /// Whether nothing can be made without further bytes of the body.
    var isDry: Bool { layers.allSatisfy { !$0.hasMore && $0.made.isEmpty } }

    /// Decodes a little more.
    ///
    /// - Parameter input: The bytes of the body; those that were used are removed from it.
    /// - Returns: What came of it; `nil` if all of the input was used before, and there is nothing left to make.
    /// - Throws: ``HTTPError/Code/cannotDecodeContent``. Nothing can be decoded afterwards.
    func step(_ input: inout UnsafeRawBufferPointer) throws(HTTPError) -> Step? {
        // The innermost one first, so that nothing piles up.
        for index in layers.indices.reversed() {
            let layer = layers[index]
            let before = index > 0 ? layers[index - 1] : nil
            let given = before?.madeBytes ?? input
            guard !given.isEmpty || layer.hasMore else { continue }
            hasBegun = true
            let counts = try layer.decode(given)
            if let before {
                before.made = before.made.lowerBound + counts.consumed..<before.made.upperBound
            } else {
                input = UnsafeRawBufferPointer(rebasing: input.dropFirst(counts.consumed))
            }
            guard index == layers.count - 1 else {
                let none = UnsafeRawBufferPointer(start: nil, count: 0)
                return Step(bytes: none, madeByteCount: counts.produced)
            }
            defer { layer.made = 0..<0 }
            return Step(bytes: layer.madeBytes, madeByteCount: counts.produced)
        }
        return nil
    }

    /// One coding, with what was made of it.
    private final class Layer {
        let decoder: any CodingDecoder
        private let place: UnsafeMutableRawBufferPointer
        /// Where in the place the bytes are that the next layer has not taken.
        var made = 0..<0
        /// Whether the decoder may make more without further input.
        private(set) var hasMore = false

        init(_ decoder: any CodingDecoder) {
            self.decoder = decoder
            place = .allocate(byteCount: stepByteCount, alignment: 16)
        }

        deinit {
            place.deallocate()
        }

        var madeBytes: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: place[made]))
        }

        /// Decodes into the place, which must be empty.
        func decode(_ input: UnsafeRawBufferPointer) throws(HTTPError) -> DecodedCounts {
            let counts = try decoder.decode(input, into: place)
            guard counts.consumed + counts.produced > 0 || input.isEmpty else {
                throw HTTPError(code: .cannotDecodeContent, message: "The body's coding is stuck")
            }
            made = 0..<counts.produced
            hasMore = counts.produced == place.count
            return counts
        }
    }
}
