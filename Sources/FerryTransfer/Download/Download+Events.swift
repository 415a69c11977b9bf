package import FerryHTTP
import FerrySystem

extension Download {
    /// The events of a download, sent on the loop and never from inside a call of the owner.
    ///
    /// They are sent in this order: `responded`, `resumed`, `progressed`… with `checkpointed` in between, then
    /// exactly one of `finished` and `failed`, which is the last. `progressed` begins with 0 if the file does.
    /// `restarted` may come before `responded`. No event follows ``Download/cancel()``.
    package struct Events: Sendable {
        /// The response to show, and the request that the redirects led to.
        ///
        /// It is the response to the app's request, even if other requests continue the file: see
        /// ``Configuration/earlierResponse``. A response whose body the app does not receive is reported here,
        /// too.
        package var responded: @LoopActor (HTTPResponseHead, TransferRequest) -> Void
        /// The number of bytes that are not fetched again, and the total length.
        package var resumed: @LoopActor (_ offset: Int64, _ total: Int64?) -> Void
        /// No part continues the existing bytes, for this reason, and the whole is fetched.
        package var restarted: @LoopActor (_ reason: String) -> Void
        /// The number of bytes in the file, including those of earlier attempts, and the total length; of a body that is
        /// decoded, how much of it has arrived.
        package var progressed:
            @LoopActor (_ received: Int64, _ total: Int64?, _ coded: CodedProgress?) -> Void
        /// Bytes were forced onto the disk.
        package var checkpointed: @LoopActor (Checkpoint) -> Void
        /// The file is complete.
        package var finished: @LoopActor (DownloadResult) -> Void
        /// The attempt has failed; the file keeps its bytes.
        package var failed: @LoopActor (TransferError) -> Void

        /// Makes a set of receivers; one that is left out ignores its event.
        package init(
            responded: @escaping @LoopActor (HTTPResponseHead, TransferRequest) -> Void = { _, _ in
            },
            resumed: @escaping @LoopActor (Int64, Int64?) -> Void = { _, _ in },
            restarted: @escaping @LoopActor (String) -> Void = { _ in },
            progressed: @escaping @LoopActor (Int64, Int64?, CodedProgress?) -> Void = { _, _, _ in
            },
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

/// The result of a finished download; the bytes are in its ``PartialFile``.
package struct DownloadResult: Hashable, Sendable {
    /// The response to the app's request.
    package var response: HTTPResponseHead
    /// The request that the redirects led to, without the fields that ask for the rest.
    package var currentRequest: TransferRequest
    /// The length of the body.
    package var byteCount: Int64
}
