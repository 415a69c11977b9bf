import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// Returns the end of a task for the store.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - request: The request that it was made with.
    ///   - event: The event that reports its end.
    ///   - status: The status of the last response.
    ///   - path: The path of its file, if it has one.
    /// - Returns: The event, and what is remembered of the task after its application has been notified.
    func end(
        of task: TaskRecord,
        _ request: Wire.Request?,
        _ event: Wire.Event,
        status: Int?,
        path: String? = nil
    ) -> NewEnd {
        NewEnd(
            event: Encoded(event),
            path: path,
            receivedByteCount: event.receivedByteCount ?? 0,
            expectedByteCount: event.expectedByteCount,
            memory: memory(of: task, request, event, status: status)
        )
    }

    private func memory(
        of task: TaskRecord,
        _ request: Wire.Request?,
        _ event: Wire.Event,
        status: Int?
    ) -> Encoded<Wire.EndedTask> {
        let session = sessions[task.sessionID]
        let application = session.flatMap { applications[$0.applicationID] }
        let description = task.description.flatMap {
            $0.utf8.count <= Wire.EndedTask.textLimit ? $0 : nil
        }
        return Encoded(
            Wire.EndedTask(
                id: task.id.rawValue,
                application: application?.record.identifier ?? "",
                session: session?.identifier ?? "",
                identifier: task.identifier,
                description: description,
                url: LoggedAddress.of((task.replacement ?? request)?.url ?? ""),
                status: status,
                receivedByteCount: event.receivedByteCount ?? 0,
                expectedByteCount: event.expectedByteCount,
                upload: task.upload?.value.map { upload in
                    Wire.Upload(
                        byteCount: upload.byteCount,
                        sentByteCount: event.sentByteCount ?? 0
                    )
                },
                failure: event.failure.map { Wire.EndedTask.bounded($0) },
                created: clock.wall(at: task.createdAt),
                ended: clock.wall(at: now),
                digests: event.failure == nil ? task.validOptions?.digests : nil
            )
        )
    }
}
