import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A transfer has loaded its whole body, and the file is on the disk.
    mutating func finished(task id: TaskID, byteCount: Int64, path: String) {
        guard running[id]?.phase == .loading else { return }
        running.update(id) { $0.finish(byteCount: byteCount) }
        guard !endings.contains(id) else { return }
        // The next task may load while copies are made and the store is at work.
        if !shareFile(of: id, byteCount: byteCount, path: path) {
            endings.begin(id)
            storeEnd(of: id, byteCount: byteCount, path: path)
        }
        release(task: id)
    }

    /// Stores the end of a task whose file is complete.
    mutating func storeEnd(of id: TaskID, byteCount: Int64, path: String) {
        // A daemon that was asked to stop no longer knows the task, and finds the file next time.
        guard let task = running[id] else { return }
        let event = Wire.Event(
            kind: .completed,
            task: task.record.identifier,
            response: task.response.map { Encoded($0) },
            request: task.currentRequest,
            receivedByteCount: byteCount,
            expectedByteCount: byteCount,
            sentByteCount: task.sentByteCount,
            metrics: metrics(of: task.record, task, at: now).map { Encoded($0) }
        )
        log(byteCount, task.response, task: id)
        let end = end(
            of: task.record,
            task.request,
            event,
            status: task.response?.status,
            path: path
        )
        commit(
            forgetting(task.record) + [.completeTask(.id(id), end)],
            then: .ended(task: id, Ending(), resumeData: nil, end)
        )
    }

    /// Logs that a body is complete: a file, or what a server says about an error.
    private mutating func log(_ byteCount: Int64, _ response: Wire.Response?, task id: TaskID) {
        guard let status = response?.status, status >= 400 else {
            return turn.add(.log(.info, "finished, \(byteCount) bytes", task: id))
        }
        let text = "the server answered with the error \(status), and \(byteCount) bytes about it"
        turn.add(.log(.warning, text, task: id))
    }

    /// Removes the failure of an earlier attempt, which would be taken for the reason of the end.
    private func forgetting(_ task: TaskRecord) -> [Mutation] {
        guard task.lastError != nil else { return [] }
        return [
            .setRetry(task: task.id, attempts: task.attempts, notBefore: nil, lastError: nil)
        ]
    }
}
