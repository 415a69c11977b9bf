package import FerryHTTP

/// What a finished download has brought; the bytes are in its ``PartialFile``.
package struct DownloadResult: Hashable, Sendable {
    /// The response that the resource gave to the app's own request.
    package var response: HTTPResponseHead
    /// The request that the redirects led to, without the fields that ask for the rest.
    package var currentRequest: TransferRequest
    /// The length of the body.
    package var byteCount: Int64
}
