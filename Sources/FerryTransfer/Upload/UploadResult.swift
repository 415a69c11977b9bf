package import FerryHTTP

/// What a finished upload has brought; the bytes of the answer are in its ``PartialFile``.
package struct UploadResult: Hashable, Sendable {
    /// The head of the answer.
    package var response: HTTPResponseHead
    /// The request that the redirects led to.
    package var currentRequest: TransferRequest
    /// How many bytes of the file were sent.
    package var sentByteCount: Int64
    /// The length of the answer's body.
    package var receivedByteCount: Int64
}
