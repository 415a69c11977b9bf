import FerryStore
import FerryTransfer
import FoundationEssentials

extension DaemonStateMachine {
    /// Takes over the file of a task's resume data, if the task has not done so yet.
    ///
    /// The store keeps the resume data until then. If the daemon dies before, the next one takes the file over when the
    /// task is to load. Nothing is loaded until then.
    mutating func adopt(_ task: TaskRecord) -> [Effect] {
        guard let resumeData = ByteState.decode(task.checkpoint)?.resumeData,
            creations.beginAdoption(for: task.id)
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
        // A task that ends, or has ended, does not need it.
        guard creations.isAdopting(for: task.id), !endings.contains(task.id) else {
            creations.endAdoption(for: task.id)
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
            // The application may meanwhile change when the task begins.
            return .postponeTask(
                task.id,
                attempts: error.code == .diskFull ? task.attempts : task.attempts + 1,
                until: now.addingTimeInterval(delay.inSeconds),
                lastError: failure.encoded
            )
        }
    }

    /// The store has the outcome of taking over a task's resume data.
    mutating func adoptionStored(task: Int64, at now: Date) -> [Effect] {
        creations.endAdoption(for: task)
        readings.note(task)
        return [.changed(task: task)] + searchForTasks(at: now)
    }

    /// The outcome of taking over a task's resume data could not be stored; it is tried again when the task is to load.
    mutating func adoptionNotStored(task: Int64) -> [Effect] {
        creations.endAdoption(for: task)
        return []
    }
}
