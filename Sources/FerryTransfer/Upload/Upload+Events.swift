package import FerryHTTP
import FerrySystem

extension Upload {
    /// What an upload tells its owner, on the loop and never from inside a call of the owner's.
    ///
    /// `sent`…, then `responded` and `received`…; then exactly one of `finished` and `failed`, after which
    /// nothing comes. A server may answer before it has the whole file. `moved` comes at any time before the
    /// end. After ``Upload/cancel()`` nothing comes.
    package struct Events: Sendable {
        /// How many bytes of the file have left; fewer than before where a redirect makes it begin anew, or where
        /// the server has got fewer.
        package var sent: @LoopActor (_ byteCount: Int64) -> Void
        /// The upload can be continued by this from now on, in a later attempt; by nothing if `nil`.
        package var moved: @LoopActor (UploadResource?) -> Void
        /// The answer's head, and the request that the redirects led to.
        package var responded: @LoopActor (HTTPResponseHead, TransferRequest) -> Void
        /// How many bytes of the answer's body are there, and its length.
        package var received: @LoopActor (_ byteCount: Int64, _ total: Int64?) -> Void
        /// A request has ended, and what it has cost.
        package var collected: @LoopActor (LoadTransaction) -> Void
        /// The answer is complete.
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
