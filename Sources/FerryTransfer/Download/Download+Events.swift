package import FerryHTTP
import FerrySystem

extension Download {
    /// What a download tells its owner, on the loop and never from inside a call of the owner's.
    ///
    /// In this order: `responded`, `resumed`, `progressed`…, which begins with 0 where the file does, and, in between, `checkpointed`; then
    /// exactly one of `finished` and `failed`, after which nothing comes. `restarted` may come
    /// before `responded`. After ``Download/cancel()`` nothing comes.
    package struct Events: Sendable {
        /// The response to show, and the request that the redirects led to.
        ///
        /// It is the one that the resource gave to the app's own request, also where the file is continued by
        /// other requests: see ``Configuration/earlierResponse``. A response whose body the app does not
        /// get comes like this, too.
        package var responded: @LoopActor (HTTPResponseHead, TransferRequest) -> Void
        /// The number of bytes that were not fetched again, and the length of the whole.
        package var resumed: @LoopActor (_ offset: Int64, _ total: Int64?) -> Void
        /// The bytes at hand could not be continued, for this reason.
        package var restarted: @LoopActor (_ reason: String) -> Void
        /// The number of bytes in the file, those of earlier attempts included, and the length of
        /// the whole.
        package var progressed: @LoopActor (_ received: Int64, _ total: Int64?) -> Void
        /// Bytes were forced onto the disk.
        package var checkpointed: @LoopActor (Checkpoint) -> Void
        /// The file is complete.
        package var finished: @LoopActor (DownloadResult) -> Void
        /// The attempt has failed; what the file holds is kept.
        package var failed: @LoopActor (TransferError) -> Void

        /// Makes a set of receivers; one that is left out ignores its event.
        package init(
            responded: @escaping @LoopActor (HTTPResponseHead, TransferRequest) -> Void = { _, _ in
            },
            resumed: @escaping @LoopActor (Int64, Int64?) -> Void = { _, _ in },
            restarted: @escaping @LoopActor (String) -> Void = { _ in },
            progressed: @escaping @LoopActor (Int64, Int64?) -> Void = { _, _ in },
            checkpointed: @escaping @LoopActor (Checkpoint) -> Void = { _ in },
            finished: @escaping @LoopActor (DownloadResult) -> Void = { _ in },
            failed: @escaping @LoopActor (TransferError) -> Void = { _ in }
        ) {
            self.responded = responded
            self.resumed = resumed
            self.restarted = restarted
            self.progressed = progressed
            self.checkpointed = checkpointed
            self.finished = finished
            self.failed = failed
        }
    }
}

/// What a finished download has brought; the bytes are in its ``PartialFile``.
package struct DownloadResult: Hashable, Sendable {
    /// The response that the resource gave to the app's own request.
    package var response: HTTPResponseHead
    /// The request that the redirects led to, without the fields that ask for the rest.
    package var currentRequest: TransferRequest
    /// The length of the body.
    package var byteCount: Int64
}
