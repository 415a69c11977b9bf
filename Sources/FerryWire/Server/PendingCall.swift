import FerrySystem

/// A call that has not been answered: the part of a reply that does not depend on the method.
@LoopActor
final class PendingCall {
    /// The kind of answer that a call expects.
    enum Kind: Hashable, Sendable {
        case single
        case stream
        case oneway
    }

    /// The call's number on its connection.
    let number: Int
    let kind: Kind
    /// The size of its message in bytes.
    let byteCount: Int
    /// Whether a file was passed with it.
    let hasBroughtFile: Bool
    private weak var connection: VarlinkConnection?
    private var file: PassedFile?

    /// Whether an answer can still be given and reaches the client.
    private(set) var isOpen = true
    var onClose: (@LoopActor () -> Void)?
    var onWritable: (@LoopActor () -> Void)?

    init(
        number: Int,
        kind: Kind,
        byteCount: Int,
        file: PassedFile? = nil,
        connection: VarlinkConnection
    ) {
        self.number = number
        self.kind = kind
        self.byteCount = byteCount
        self.file = file
        hasBroughtFile = file != nil
        self.connection = connection
    }

    /// Whether the client keeps up with its replies.
    var isWritable: Bool { isOpen && connection?.isKeepingUp == true }

    /// Returns the file that was passed with the call, the first time that it is called.
    func takeFile() -> PassedFile? {
        defer { file = nil }
        return file
    }

    /// Answers with `value`; for a stream, more may follow.
    func answer(_ value: some JSONCodable, continues: Bool) {
        answer(continues: continues) { value.write(to: &$0) }
    }

    /// Answers with what `write` writes; for a stream, more may follow.
    func answer(continues: Bool, _ write: (inout JSONOutput) -> Void) {
        guard isOpen else { return }
        let continues = continues && kind == .stream
        do {
            // A oneway call's reply is discarded, so encoding it would be a waste.
            let message =
                kind == .oneway
                ? []
                : try MessageCoding.message(replying: write, continues: continues)
            send(message, isLast: !continues)
        } catch {
            fail(.transfer(.internalFailure(reason: error.description)))
        }
    }

    /// Answers with an error.
    func fail(_ error: ErrorMessage) {
        // Each released reply calls this, nearly always long after its answer.
        guard isOpen else { return }
        send(MessageCoding.message(failing: error), isLast: true)
    }

    /// Handles that the connection closed before the call was answered.
    func connectionClosed() {
        guard isOpen else { return }
        let handler = onClose
        finish()
        handler?()
    }

    private func send(_ message: [UInt8], isLast: Bool) {
        guard isOpen else { return }
        if isLast { finish() }
        connection?.answer(self, message, isLast: isLast)
    }

    /// Releases the handlers, which often retain the reply that retains this call.
    private func finish() {
        isOpen = false
        file = nil
        onClose = nil
        onWritable = nil
    }
}

/// A file that was passed with a call.
enum ArrivedFile: Sendable {
    /// The file is there.
    case file(UserFile)
    /// The client has passed a file, for which this process had no descriptor left.
    case lost
}

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
        let file: ArrivedFile
    }

    private var entries: [Entry] = []
    private var arrivedByteCount: UInt64 = 0
    private var takenByteCount: UInt64 = 0

    init(on queue: BlockingQueue = BlockingQueue(label: "ferry.passed", threadLimit: 4)) {
        self.queue = queue
    }

    /// Records bytes that have arrived with these descriptors.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes.
    ///   - descriptors: The descriptors that came with them.
    ///   - isIncomplete: Whether there were more, which this process could not have.
    mutating func arrived(byteCount: Int, descriptors: [Int32], isIncomplete: Bool = false) {
        arrivedByteCount += UInt64(byteCount)
        // Owned immediately, so that those that are not kept are closed.
        let files = descriptors.map { UserFile(FileDescriptor(owning: $0), on: queue) }
        for file in files where entries.count < Self.greatestCount {
            entries.append(Entry(end: arrivedByteCount, file: .file(file)))
        }
        // A call that has one of its files has its first one.
        if isIncomplete, files.isEmpty, entries.count < Self.greatestCount {
            entries.append(Entry(end: arrivedByteCount, file: .lost))
        }
    }

    /// Records that a message of so many bytes, including its end, was taken from the stream.
    ///
    /// - Returns: The first file that was passed with it, if any; others are closed.
    mutating func taken(byteCount: Int) -> ArrivedFile? {
        takenByteCount += UInt64(byteCount)
        guard let first = entries.first, first.end <= takenByteCount else { return nil }
        entries.removeAll { $0.end <= takenByteCount }
        return first.file
    }
}
