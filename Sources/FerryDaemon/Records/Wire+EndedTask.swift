import FerryStore
import FerryWire
import FoundationEssentials

/// What is remembered of a task that has ended: its row is small, whatever the application has requested.
extension Wire.EndedTask {
    /// The maximum number of bytes of a description and of a failure's message.
    static let textLimit = 2048

    /// Reads what the store remembers; `nil` if that cannot be read.
    init?(_ record: EndedTaskRecord) {
        guard var task = record.task.value else { return nil }
        task.path = record.path
        task.discarded = record.isDiscarded ? true : nil
        self = task
    }

    /// Returns a failure with a message of a limited length.
    static func bounded(_ failure: Wire.Failure) -> Wire.Failure {
        guard failure.message.utf8.count > textLimit else { return failure }
        // Half of a character becomes the sign for one that cannot be shown.
        let start = String(decoding: failure.message.utf8.prefix(textLimit), as: UTF8.self)
        return Wire.Failure(code: failure.code, message: start + "…")
    }
}

extension Wire.ListEndedTasks {
    /// Returns the tasks that are wanted of all that are remembered.
    func selection(of records: [EndedTaskRecord]) -> [Wire.EndedTask] {
        let wanted = taskIDs.map(Set.init)
        let tasks = records.lazy.filter { wanted?.contains($0.id) ?? true }
            .compactMap { Wire.EndedTask($0) }
            .filter { task in
                (application ?? task.application) == task.application
                    && (session ?? task.session) == task.session
            }
        return Array(tasks.prefix(max(0, limit ?? .max)))
    }
}

extension Wire.Acknowledge {
    /// The longest path that the system takes, in bytes.
    private static let longestPath = 4096

    /// Returns where the application has put the file of an event; `nil` if it has not said so, or if that is no path.
    func path(of sequence: Int64) -> String? {
        savedFiles?.first { $0.sequence == sequence }.map(\.path).flatMap { path in
            path.hasPrefix("/") && path.utf8.count <= Self.longestPath ? path : nil
        }
    }
}
