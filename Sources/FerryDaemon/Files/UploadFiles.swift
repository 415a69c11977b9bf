import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import Glibc

/// Keeps the files that uploads send, so that an application need not.
///
/// If the file system supports it, the daemon gets its own file that shares the blocks of the application's
/// (ioctl_ficlone(2)). Otherwise a small file is copied. A large file is only kept open, with its path for a later
/// daemon, and must not change.
@LoopActor
final class UploadFiles {
    /// The maximum size of a file that is copied, in bytes.
    nonisolated static let greatestCopy: Int64 = 16 << 20
    /// The maximum number of files that are kept open; of others only the path is kept.
    private var greatestOpenCount = 256
    private static let prefix = "Upload_"

    private let directory: Directory
    private let queue: BlockingQueue
    private var open: [TaskID: UserFile] = [:]
    /// Whether there may be a copy; if not, none is deleted.
    private var mayHaveCopies = true
    /// The tasks whose file is being secured, with the callers that wait besides the first.
    private var securing: [TaskID: [CheckedContinuation<Bool, Never>]] = [:]

    /// Prepares to keep files in a directory.
    ///
    /// - Parameters:
    ///   - directory: The daemon's own directory.
    ///   - queue: The queue that deletes files there.
    init(in directory: Directory, on queue: BlockingQueue) {
        self.directory = directory
        self.queue = queue
    }

    /// Limits the number of files that are kept open.
    func keep(atMost count: Int) { greatestOpenCount = min(greatestOpenCount, count) }

    /// Secures a file, as far as possible, so that a task can send it whatever happens to it.
    ///
    /// - Parameters:
    ///   - file: The application's own file.
    ///   - state: What is known about it.
    ///   - task: The task.
    ///   - queue: The queue for the application's files.
    /// - Returns: The new state of the file; `nil` if it is unchanged.
    func secure(
        _ file: UserFile,
        _ state: UploadState,
        for task: TaskID,
        on queue: BlockingQueue
    ) async -> UploadState? {
        guard await isCopied(file, state.identity, for: task, on: queue) else {
            // A repeated call may pass another file by now; the first one is to be sent.
            if open[task] == nil, open.count < greatestOpenCount { open[task] = file }
            return nil
        }
        open[task] = nil
        var state = state
        state.place = .copy
        return state
    }

    /// Copies a file, only once at a time for a task.
    private func isCopied(
        _ file: UserFile,
        _ identity: FileIdentity,
        for task: TaskID,
        on queue: BlockingQueue
    ) async -> Bool {
        guard securing[task] == nil else {
            return await withCheckedContinuation { securing[task]?.append($0) }
        }
        securing[task] = []
        mayHaveCopies = true
        let (directory, name) = (directory, Self.name(of: task))
        let isCopied = await queue.run { () throws(Never) in
            Self.copy(file, identity, to: name, in: directory)
        }
        for waiter in securing.removeValue(forKey: task) ?? [] {
            waiter.resume(returning: isCopied)
        }
        return isCopied
    }

    /// Returns the source of a task's bytes, which is opened when the task starts.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - state: What is known about its file.
    ///   - queue: The queue for the application's files.
    /// - Returns: The source, which is not open yet.
    func source(of task: TaskID, _ state: UploadState, on queue: BlockingQueue) -> UploadSource {
        let (directory, name, file) = (directory, Self.name(of: task), open[task])
        return UploadSource(byteCount: state.byteCount, on: queue) { () throws(SystemCallError) in
            switch state.place {
            case .copy: return try Self.copy(named: name, in: directory, state, on: queue)
            case .original:
                if let file { return FileBodySource.Opened(file, identity: state.identity) }
                return try Self.original(state, on: queue)
            }
        }
    }

    /// Releases the file that a task would have sent.
    func discard(task: TaskID) {
        open[task] = nil
        guard mayHaveCopies else { return }
        let (directory, name) = (directory, Self.name(of: task))
        queue.perform {
            // A file that cannot be deleted is found again when the daemon starts.
            try? directory.remove(name)
            try? directory.remove(name + Self.temporarySuffix)
        }
    }

    /// The tasks whose files are kept.
    func tasks() -> [TaskID] {
        guard let names = try? directory.names() else { return [] }
        mayHaveCopies = !names.isEmpty
        return Set(names.compactMap { Self.task(of: $0) }).sorted()
    }

    // MARK: - Reading

    /// Opens a copy, which is the daemon's own: only its size can be wrong, after a power loss.
    nonisolated private static func copy(
        named name: String,
        in directory: Directory,
        _ state: UploadState,
        on queue: BlockingQueue
    ) throws(SystemCallError) -> FileBodySource.Opened {
        let file = UserFile(try directory.open(name, .read), on: queue)
        var identity = try file.identity()
        identity.size = state.byteCount
        return FileBodySource.Opened(file, identity: identity)
    }

    nonisolated private static func original(
        _ state: UploadState,
        on queue: BlockingQueue
    ) throws(SystemCallError) -> FileBodySource.Opened {
        let file = try UserFile.open(state.path, on: queue)
        let identity = state.identity.carriedOver(from: state.boot, to: try file.identity())
        return FileBodySource.Opened(file, identity: identity)
    }

    // MARK: - Copying

    nonisolated private static let temporarySuffix = ".new"

    /// Makes a durable copy of a file, unless it is too large or changes meanwhile.
    ///
    /// - Returns: Whether there is one; if not, the file itself is synchronized to the disk if possible.
    nonisolated private static func copy(
        _ file: UserFile,
        _ identity: FileIdentity,
        to name: String,
        in directory: Directory
    ) -> Bool {
        do throws(SystemCallError) {
            let temporaryName = name + temporarySuffix
            try directory.remove(temporaryName)
            let copy = try directory.open(temporaryName, .createNew)
            let isFilled = try file.withDescriptor { (file) throws(SystemCallError) in
                if try fill(copy, from: file, identity) { return true }
                try? file.synchronize()
                return false
            }
            guard isFilled else {
                try directory.remove(temporaryName)
                return false
            }
            try copy.synchronize()
            try directory.rename(temporaryName, to: directory, as: name, replacing: true)
            try directory.synchronize()
            return true
        } catch {
            // A disk without room for a copy still has the file itself.
            try? directory.remove(name + temporarySuffix)
            return false
        }
    }

    nonisolated private static func fill(
        _ copy: borrowing FileDescriptor,
        from file: borrowing FileDescriptor,
        _ identity: FileIdentity
    ) throws(SystemCallError) -> Bool {
        do throws(SystemCallError) {
            try copy.clone(file)
        } catch {
            guard identity.size <= greatestCopy else { return false }
            try copyBytes(of: file, to: copy, count: identity.size)
        }
        // A copy that mixes two versions is invalid.
        let (copied, now) = (try copy.identity(), try file.identity())
        return copied.size == identity.size && now.hasContent(of: identity)
    }

    nonisolated private static func copyBytes(
        of file: borrowing FileDescriptor,
        to copy: borrowing FileDescriptor,
        count: Int64
    ) throws(SystemCallError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        var position: Int64 = 0
        while position < count {
            let part = try file.read(into: buffer, at: position)
            guard part > 0 else { return }
            try copy.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<part]))
            position += Int64(part)
        }
    }

    // MARK: - Names

    private static func name(of task: TaskID) -> String {
        prefix + String(task.rawValue, radix: 36)
    }

    private static func task(of name: String) -> TaskID? {
        guard name.hasPrefix(prefix) else { return nil }
        return Int64(name.dropFirst(prefix.count).prefix { $0 != "." }, radix: 36).map {
            TaskID($0)
        }
    }
}
