import FerrySystem
import FerryTransfer

extension Daemon {
    /// Copies a task's complete file for another task that requests the same.
    func copyFile(_ copy: DaemonStateMachine.FileCopy) {
        let copying = PartialFile.Copying(
            byteCount: copy.byteCount,
            greatestByteCount: options.policy.greatestCopy
        )
        copies[copy.follower] = copying
        LoopActor.task { [self] in
            let result = await result(of: copy, by: copying)
            copies[copy.follower] = nil
            input { $0.copied(copy, result) }
        }
    }

    private func result(
        of copy: DaemonStateMachine.FileCopy,
        by copying: PartialFile.Copying
    ) async -> DaemonStateMachine.FileCopy.Result {
        let queue = applicationQueues.queue(of: copy.application)
        let place = await findPlace(of: copy.follower, in: copy.directory, on: queue)
        do throws(TransferError) {
            try place.get()
            let (source, target) = (files.file(of: copy.leader), files.file(of: copy.follower))
            let isMade = try await copying.run(from: source, to: target, on: queue)
            return isMade ? .copied(files.path(of: copy.follower)) : .tooLarge
        } catch {
            return .failed(error)
        }
    }
}
