import FerrySystem

extension PartialFile {
    /// Forces the bytes that are written by now onto the disk.
    ///
    /// A failure gives up the bytes that were not on the disk before: the kernel reports a failed write-back
    /// once and then drops the pages, so that the bytes can no longer be trusted.
    ///
    /// - Parameters:
    ///   - synchronizer: The synchronizer that waits for the disk.
    ///   - completion: Called on the loop, always later.
    package func synchronize(
        by synchronizer: FileSynchronizer,
        completion: @escaping @LoopActor @Sendable (Result<Void, TransferError>) -> Void
    ) {
        guard let content else {
            LoopActor.perform { completion(.success(())) }
            return
        }
        let epoch = epoch
        let (written, record) = (content.written, content.record)
        let file = content.file
        let isAnchored = content.isAnchored
        let force = force
        synchronizer.submit(
            FileSynchronizer.Request(
                force: { () throws(TransferError) in try force(file, isAnchored) },
                anchor: isAnchored ? nil : directory,
                completion: {
                    completion(self.synchronized(written, with: record, since: epoch, $0))
                }
            )
        )
    }

    private func synchronized(
        _ written: ByteRanges,
        with record: Record,
        since epoch: UInt64,
        _ result: Result<Void, TransferError>
    ) -> Result<Void, TransferError> {
        // The bytes in question may have been given up meanwhile, whatever the result.
        guard epoch == self.epoch, let content else { return .success(()) }
        switch result {
        case .success:
            self.content?.synchronized(written, with: record)
            return result
        case .failure(let error):
            do {
                // No checkpoint has vouched for the bytes that are truncated.
                var remaining = content
                remaining.giveUpUnsynchronized()
                if remaining.segments != nil {
                    try storeTable(of: remaining)
                } else {
                    try content.file.truncate(to: remaining.byteCount)
                }
                self.epoch += 1
                self.content = remaining
                return .failure(error)
            } catch {
                close()
                return .failure(error)
            }
        }
    }
}
