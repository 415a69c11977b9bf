import FerrySystem

/// Finds out which message a file belongs to that has come along with the bytes of a stream.
///
/// The kernel ends what it hands over at once with the bytes that files came along with (unix(7)). Who
/// passes a file sends no other message's bytes with it, so that it belongs to the message that the last of
/// those bytes is a part of.
struct ArrivingFiles {
    /// How many files wait for the end of their message; a client that passes more loses them.
    private static let greatestCount = 16

    /// What calls on the files are made by: no other client's wait for a file system that hangs.
    private let queue: BlockingQueue

    private struct Entry {
        /// How many bytes had arrived with it, from the beginning.
        let end: UInt64
        let file: UserFile
    }

    private var entries: [Entry] = []
    private var arrivedByteCount: UInt64 = 0
    private var takenByteCount: UInt64 = 0

    init(on queue: BlockingQueue = BlockingQueue(label: "ferry.passed", threadLimit: 4)) {
        self.queue = queue
    }

    /// Bytes have arrived, with these descriptors.
    mutating func arrived(byteCount: Int, descriptors: [Int32]) {
        arrivedByteCount += UInt64(byteCount)
        // Owned at once, so that those that are not wanted are closed.
        let files = descriptors.map { UserFile(FileDescriptor(owning: $0), on: queue) }
        for file in files where entries.count < Self.greatestCount {
            entries.append(Entry(end: arrivedByteCount, file: file))
        }
    }

    /// A message of so many bytes, its end included, was taken from the stream.
    ///
    /// - Returns: The first file that came along with it, if any; others are closed.
    mutating func taken(byteCount: Int) -> UserFile? {
        takenByteCount += UInt64(byteCount)
        guard let first = entries.first, first.end <= takenByteCount else { return nil }
        entries.removeAll { $0.end <= takenByteCount }
        return first.file
    }
}
