import FerrySystem
import FerryTransfer

extension Daemon {
    /// Copies a task's file, which is complete, for others that ask for the same.
    func shareFile(of task: Int64, byteCount: Int64, path: String, with others: [Int64]) {
        LoopActor.task { [self] in
            var copies: [Int64: Result<String, TransferError>] = [:]
            for other in others {
                copies[other] = await copy(of: task, byteCount: byteCount, for: other)
            }
            input { [copies] machine, now in
                machine.sharedFile(
                    of: task,
                    byteCount: byteCount,
                    path: path,
                    with: copies,
                    at: now
                )
            }
        }
    }

    private func copy(
        of task: Int64,
        byteCount: Int64,
        for other: Int64
    ) async -> Result<String, TransferError> {
        do throws(TransferError) {
            try await files.file(of: task)
                .copy(to: files.file(of: other), byteCount: byteCount, on: files.queue)
            return .success(files.path(of: other))
        } catch {
            return .failure(error)
        }
    }
}
