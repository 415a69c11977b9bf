import FerryWire
import Foundation

/// The transfers of a session that belong to requests and paths.
struct FileTransfers {
    /// What is known of the run of this launch.
    private struct Run {
        /// When it began, in microseconds since 1970.
        var number: Int64
        /// The transfers whose files earlier launches have saved in it.
        var saved: Set<FileTransferDescription.Key> = []
        /// Those that this launch has come to.
        var met: Set<FileTransferDescription.Key> = []
    }

    private var transfers: [FileTransferDescription.Key: FileTransfer] = [:]
    private var byTask: [Int: FileTransfer] = [:]
    private var run: Run?

    /// All of them.
    var all: [FileTransfer] { Array(byTask.values) }

    /// Records the run of this launch: that of the transfers that are left, or a new one.
    ///
    /// - Parameters:
    ///   - left: The transfers that are left.
    ///   - ended: What the daemon remembers of those that have ended.
    mutating func begin(left: [FileTransferDescription], ended: [Wire.EndedTask]) {
        guard run == nil, let number = left.map(\.run).max() else { return }
        let saved = ended.filter { $0.failure == nil && $0.discarded != true }
            .compactMap { FileTransferDescription($0.description) }
            .filter { $0.run == number }
        run = Run(number: number, saved: Set(saved.map(\.key)).subtracting(left.map(\.key)))
    }

    /// Returns whether an earlier launch has saved a file in this run, once: the next call loads it again.
    mutating func takeSaved(_ key: FileTransferDescription.Key) -> Bool {
        guard run?.saved.remove(key) != nil else { return false }
        run?.met.insert(key)
        return true
    }

    /// Returns the transfer for a request and a path; makes it if there is none.
    ///
    /// - Parameters:
    ///   - key: The request and the path.
    ///   - tasks: The session's tasks.
    ///   - make: Makes the task.
    /// - Returns: The transfer.
    /// - Throws: Why no task can be made.
    mutating func transfer(
        _ key: FileTransferDescription.Key,
        among tasks: [URLSessionTask],
        orElse make: (FileTransferDescription) throws(URLError) -> URLSessionDownloadTask
    ) throws(URLError) -> FileTransfer {
        if let known = transfer(key, among: tasks) { return known }
        // Who asks once more begins anew.
        if run?.met.contains(key) ?? true {
            run = Run(number: Int64(Date().timeIntervalSince1970 * 1_000_000))
        }
        let transfer = FileTransfer(
            key,
            try make(FileTransferDescription(key, run: run?.number ?? 0))
        )
        run?.met.insert(key)
        add(transfer)
        return transfer
    }

    /// Returns the transfer for a request and a path, if there is one.
    mutating func transfer(
        _ key: FileTransferDescription.Key,
        among tasks: [URLSessionTask]
    ) -> FileTransfer? {
        if let transfer = transfers[key] { return transfer }
        let task = tasks.lazy.compactMap { $0 as? URLSessionDownloadTask }
            .first { $0.fileTransfer?.key == key && byTask[$0.taskIdentifier] == nil }
        guard let task else { return nil }
        run?.met.insert(key)
        let transfer = FileTransfer(key, task)
        add(transfer)
        return transfer
    }

    /// Returns the transfer of a task, which may be one of an earlier launch.
    mutating func transfer(
        of task: URLSessionDownloadTask,
        _ key: FileTransferDescription.Key
    ) -> FileTransfer {
        if let transfer = byTask[task.taskIdentifier] { return transfer }
        let transfer = FileTransfer(key, task)
        add(transfer)
        return transfer
    }

    private mutating func add(_ transfer: FileTransfer) {
        byTask[transfer.task.taskIdentifier] = transfer
        transfers[transfer.key] = transfers[transfer.key] ?? transfer
    }

    /// Forgets a transfer of which the app knows the end.
    mutating func remove(_ task: URLSessionTask) {
        guard let transfer = byTask.removeValue(forKey: task.taskIdentifier) else { return }
        release(transfer)
    }

    /// Has the next call for the same request and path make another transfer.
    mutating func release(_ transfer: FileTransfer) {
        if transfers[transfer.key] === transfer { transfers[transfer.key] = nil }
    }
}
