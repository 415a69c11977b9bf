import FerrySystem

/// What makes the calls on applications' own files, and starts applications: for each one threads of its own.
///
/// A file system that hangs then holds up who has brought the file, and nobody else.
@LoopActor
final class ApplicationQueues {
    /// So many calls of an application may hang before others of the same one wait.
    private static let threadLimit = 8

    private struct Entry {
        weak var queue: BlockingQueue?
    }

    private var entries: [Int64: Entry] = [:]

    /// The queue of an application, which is there as long as anything uses it.
    ///
    /// - Parameter application: The application's number; `nil` where it is not known any more.
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

/// A file that a call has brought.
struct ArrivingFile {
    /// The file.
    var file: UserFile
    /// What makes calls on the files of its application.
    var queue: BlockingQueue
}
