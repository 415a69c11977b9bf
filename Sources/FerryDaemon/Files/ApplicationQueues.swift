import FerrySystem

/// The queues that access applications' own files and start applications, with separate threads for each application.
///
/// A file system that hangs then blocks only the application whose file it is.
@LoopActor
final class ApplicationQueues {
    /// The number of an application's calls that may hang before its other calls wait.
    private static let threadLimit = 8

    private struct Entry {
        weak var queue: BlockingQueue?
    }

    private var entries: [Int64: Entry] = [:]

    /// Returns the queue of an application, which exists as long as anything uses it.
    ///
    /// - Parameter application: The application's number; `nil` if it is no longer known.
    /// - Returns: The queue, the same for each of its files.
    func queue(of application: Int64?) -> BlockingQueue {
        let key = application ?? 0
        if let queue = entries[key]?.queue { return queue }
        entries = entries.filter { $0.value.queue != nil }
        let queue = BlockingQueue(label: "ferry.app\(key)", threadLimit: Self.threadLimit)
        entries[key] = Entry(queue: queue)
        return queue
    }
}

/// A file that was passed with a call.
struct ArrivingFile {
    /// The file.
    var file: UserFile
    /// The queue for the files of its application.
    var queue: BlockingQueue
}
