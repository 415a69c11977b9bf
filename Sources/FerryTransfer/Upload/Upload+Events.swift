package import FerryHTTP
import FerrySystem

extension Upload {
    /// The events of an upload, sent on the loop and never from inside a call of the owner.
    ///
    /// They are sent in this order: `sent`…, then `responded` and `received`…, then exactly one of `finished`
    /// and `failed`, which is the last. A server may respond before it has the whole file. `moved` may be sent
    /// at any time before the end. No event follows ``Upload/cancel()``.
    package struct Events: Sendable {
        /// The number of bytes of the file that were sent; fewer than before if a redirect makes it start over,
        /// or if the server has received fewer.
        package var sent: @LoopActor (_ byteCount: Int64) -> Void
        /// The resource by which a later attempt can continue the upload from now on; `nil` for none.
        package var moved: @LoopActor (UploadResource?) -> Void
        /// The response head, and the request that the redirects led to.
        package var responded: @LoopActor (HTTPResponseHead, TransferRequest) -> Void
        /// The number of received bytes of the response body, and its length.
        package var received: @LoopActor (_ byteCount: Int64, _ total: Int64?) -> Void
        /// A request has ended, with its metrics.
        package var collected: @LoopActor (LoadTransaction) -> Void
        /// The response is complete.
        package var finished: @LoopActor (UploadResult) -> Void
        /// The attempt has failed; nothing of it is kept.
        package var failed: @LoopActor (TransferError) -> Void

        /// Makes a set of receivers; one that is left out ignores its event.
        package init(
            sent: @escaping @LoopActor (Int64) -> Void = { _ in },
            moved: @escaping @LoopActor (UploadResource?) -> Void = { _ in },
            responded: @escaping @LoopActor (HTTPResponseHead, TransferRequest) -> Void = { _, _ in
            },
            received: @escaping @LoopActor (Int64, Int64?) -> Void = { _, _ in },
            collected: @escaping @LoopActor (LoadTransaction) -> Void = { _ in },
            finished: @escaping @LoopActor (UploadResult) -> Void = { _ in },
            failed: @escaping @LoopActor (TransferError) -> Void = { _ in }
        ) {
            self.sent = sent
            self.moved = moved
            self.responded = responded
            self.received = received
            self.collected = collected
            self.finished = finished
            self.failed = failed
        }
    }
}

/// The result of a finished upload; the response body is in its ``PartialFile``.
package struct UploadResult: Hashable, Sendable {
    /// The response head.
    package var response: HTTPResponseHead
    /// The request that the redirects led to.
    package var currentRequest: TransferRequest
    /// How many bytes of the file were sent.
    package var sentByteCount: Int64
    /// The length of the response body.
    package var receivedByteCount: Int64
}
