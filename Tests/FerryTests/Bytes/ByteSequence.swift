/// Bytes that are at hand, as an asynchronous sequence.
struct ByteSequence: AsyncSequence, Sendable {
    typealias Element = UInt8
    typealias Failure = Never

    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: bytes[...]) }

    struct AsyncIterator: AsyncIteratorProtocol {
        var bytes: ArraySlice<UInt8>

        mutating func next() async -> UInt8? { bytes.popFirst() }
    }
}

extension AsyncSequence {
    /// All elements.
    func collected() async throws(Failure) -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}
