import FerryStore
import FerryTransfer
import FoundationEssentials

extension DaemonStateMachine {
    /// Takes over the file of a task's resume data, if it has any that is not its own yet.
    ///
    /// The store says so from the task's first moment until the file is there, so that a daemon
    /// that dies in between takes it over when the task is to load. Until then nothing is loaded.
    mutating func adopt(_ task: TaskRecord) -> [Effect] {
        guard let resumeData = ByteState.decode(task.checkpoint)?.resumeData,
            adoptions.insert(task.id).inserted
        else { return [] }
        work.begin(in: .applicationFile)
        return [.adopt(resumeData: resumeData, task)]
    }

    /// The file of a task's resume data was taken over, or could not be.
    mutating func adopted(
        _ task: TaskRecord,
        _ result: Result<Checkpoint, TransferError>,
        at now: Date
    ) -> [Effect] {
        work.end(in: .applicationFile)
        // One that ends, or has ended, has no use for it.
        guard adoptions.contains(task.id), !endings.contains(task.id) else {
            adoptions.remove(task.id)
            return searchForTasks(at: now) + evaluateIdleness(at: now)
        }
        switch result {
        case .success(let checkpoint):
            let state = ByteState(checkpoint: checkpoint, isFromResumeData: true)
            return [
                commit(
                    [
                        .setCheckpoint(task: task.id, state.encoded),
                        .setProgress(
                            task: task.id,
                            receivedByteCount: checkpoint.writtenByteCount,
                            expectedByteCount: checkpoint.totalByteCount
                        ),
                    ],
                    then: .adopted(task: task.id)
                )
            ]
        case .failure(let error):
            return [
                .log(.warning, "its resume data is of no use: \(error.message)", task: task.id),
                commit([mutation(after: error, of: task, at: now)], then: .adopted(task: task.id)),
            ]
        }
    }

    private mutating func mutation(
        after error: TransferError,
        of task: TaskRecord,
        at now: Date
    ) -> Mutation {
        switch decision(after: error, failureCount: task.attempts + 1) {
        case .isFinal:
            // The task fails when it is resumed, not when it is made (RD-9, RD-10).
            return .setCheckpoint(task: task.id, ByteState(failure: error).encoded)
        case .retry(let delay):
            let failure = AttemptFailure(error, after: .decode(task.lastError))
            // Its application may change meanwhile when it is to begin.
            return .postponeTask(
                task.id,
                attempts: error.code == .diskFull ? task.attempts : task.attempts + 1,
                until: now.addingTimeInterval(delay.inSeconds),
                lastError: failure.encoded
            )
        }
    }

    /// What has become of a task's resume data is in the store.
    mutating func adoptionStored(task: Int64, at now: Date) -> [Effect] {
        adoptions.remove(task)
        readings.note(task)
        return [.changed(task: task)] + searchForTasks(at: now)
    }

    /// What has become of a task's resume data could not be stored; it is looked at again when the
    /// task is to load.
    mutating func adoptionNotStored(task: Int64) -> [Effect] {
        adoptions.remove(task)
        return []
    }
}
