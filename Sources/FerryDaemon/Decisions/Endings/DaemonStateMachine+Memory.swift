import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// Returns what is remembered of a task after its application has been notified that it has ended.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - request: The request that it was made with.
    ///   - event: The event with its response, its figures and its failure.
    ///   - now: The time of its end.
    /// - Returns: The task, in the encoding of the store.
    func memory(
        of task: TaskRecord,
        _ request: Wire.Request?,
        _ event: Wire.Event,
        at now: Date
    ) -> [UInt8] {
        let session = sessions[task.sessionID]
        let application = session.flatMap { applications[$0.applicationID] }
        let description = task.description.flatMap {
            $0.utf8.count <= Wire.EndedTask.textLimit ? $0 : nil
        }
        return Stored.encode(
            Wire.EndedTask(
                id: task.id,
                application: application?.record.identifier ?? "",
                session: session?.identifier ?? "",
                identifier: task.identifier,
                description: description,
                url: LoggedAddress.of((task.replacement ?? request)?.url ?? ""),
                status: event.response?.status,
                receivedByteCount: event.receivedByteCount ?? 0,
                expectedByteCount: event.expectedByteCount,
                upload: UploadState.decode(task.upload).map { upload in
                    Wire.Upload(
                        byteCount: upload.byteCount,
                        sentByteCount: event.sentByteCount ?? 0
                    )
                },
                failure: event.failure.map { Wire.EndedTask.bounded($0) },
                created: clock.wall(at: task.createdAt),
                ended: clock.wall(at: now)
            )
        )
    }
}
