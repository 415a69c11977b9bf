import FerrySystem

/// Finds the message of a file that was received with the bytes of a stream.
///
/// One receive ends with the bytes that files were passed with (unix(7)). A client that passes a file sends no other
/// message's bytes with it, so the file belongs to the message that contains the last of those bytes.
struct ArrivingFiles {
    /// The maximum number of files that wait for the end of their message; further ones are closed.
    private static let greatestCount = 16

    /// The queue for calls on the files: other clients do not wait for a file system that hangs.
    private let queue: BlockingQueue

    private struct Entry {
        /// The total number of bytes that had arrived when it did.
        let end: UInt64
        let file: UserFile
    }

    private var entries: [Entry] = []
    private var arrivedByteCount: UInt64 = 0
    private var takenByteCount: UInt64 = 0

    init(on queue: BlockingQueue = BlockingQueue(label: "ferry.passed", threadLimit: 4)) {
        self.queue = queue
    }

    /// Records bytes that have arrived with these descriptors.
    mutating func arrived(byteCount: Int, descriptors: [Int32]) {
        arrivedByteCount += UInt64(byteCount)
        // Owned immediately, so that those that are not kept are closed.
        let files = descriptors.map { UserFile(FileDescriptor(owning: $0), on: queue) }
        for file in files where entries.count < Self.greatestCount {
            entries.append(Entry(end: arrivedByteCount, file: file))
        }
    }

    /// Records that a message of so many bytes, including its end, was taken from the stream.
    ///
    /// - Returns: The first file that was passed with it, if any; others are closed.
    mutating func taken(byteCount: Int) -> UserFile? {
        takenByteCount += UInt64(byteCount)
        guard let first = entries.first, first.end <= takenByteCount else { return nil }
        entries.removeAll { $0.end <= takenByteCount }
        return first.file
    }
}
