/// How much of a body that is decoded has arrived: before its end, its length is known in its coding alone.
package struct CodedProgress: Hashable, Sendable {
    /// The number of bytes that have arrived, in the coding.
    package var receivedByteCount: Int64
    /// The length of the body in the coding.
    package var totalByteCount: Int64

    /// Makes a progress.
    package init(receivedByteCount: Int64, totalByteCount: Int64) {
        self.receivedByteCount = receivedByteCount
        self.totalByteCount = totalByteCount
    }
}
