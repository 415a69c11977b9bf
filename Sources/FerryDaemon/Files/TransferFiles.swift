import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FoundationEssentials

/// The files of downloads, and of responses to uploads, until their application has taken them.
///
/// A file has the same name from its first byte on; the event in the store makes it a finished download. The name
/// depends on the task's number alone, never on anything that a server sends.
@LoopActor
final class TransferFiles {
    /// The time that a partial file waits for its resume data to be used, in seconds: 90 days.
    private static let resumeDataLifetime: Int64 = 7_776_000
    private static let prefix = "CFNetworkDownload_"
    private static let suffix = ".tmp"

    /// The directory that holds the whole queue.
    let stateDirectory: String
    /// The object that synchronizes files to the disk.
    let synchronizer = FileSynchronizer(label: "ferry.disk")
    /// The files that uploads send.
    let uploads: UploadFiles
    /// The places of files that are not written in ``downloads``.
    let places: FilePlaces
    /// The complete files of tasks that have not ended in the store yet.
    private var completeFiles: [TaskID: PartialFile] = [:]
    /// The tasks that may have a file; `nil` before ``findLeftovers()``, when any task may.
    private var tasksWithFiles: Set<TaskID>?
    private let downloads: Directory
    /// The path that leads to ``downloads`` in this turn of the loop, once it was looked for.
    private var presentPath: String?
    private let resumable: Directory
    /// What the directory of ``downloads`` is recognized by.
    private let identity: String?

    /// The queue that waits for the disk.
    var queue: BlockingQueue { synchronizer.queue }

    /// Opens or creates the directories.
    ///
    /// - Parameter state: The daemon's directory.
    /// - Throws: `openat` or `mkdirat` with the path.
    init(in state: Directory) throws(SystemCallError) {
        stateDirectory = state.path
        downloads = try state.openSubdirectory("downloads")
        places = FilePlaces(in: downloads)
        identity = (try? DiskIdentity(of: downloads))?.text
        resumable = try state.openSubdirectory("resumable")
        uploads = UploadFiles(in: try state.openSubdirectory("uploads"), on: synchronizer.queue)
    }

    /// A task's file.
    func file(of task: TaskID) -> PartialFile {
        let place = place(of: task)
        let isFirst = tasksWithFiles?.insert(task).inserted ?? false
        return PartialFile(directory: place.directory, name: place.name, mayExist: !isFirst)
    }

    /// Returns the synchronizer of a task's file: other files must not wait for a disk that is not the daemon's.
    func synchronizer(of task: TaskID) -> FileSynchronizer {
        places.place(of: task) == nil
            ? synchronizer : FileSynchronizer(label: "ferry.place")
    }

    /// Chooses where a task's file that is for a directory is written.
    ///
    /// - Returns: Why it is not written there although it should be, for the log.
    func choosePlace(
        for task: TaskID,
        in target: String,
        on queue: BlockingQueue
    ) async -> String? {
        await places.choose(for: task, named: Self.name(of: task), in: target, on: queue)?
            .description
    }

    /// Returns whether a task's file has its own place, which may have to be found first.
    func hasPlace(_ task: TaskID) -> Bool { places.path(named: Self.name(of: task)) != nil }

    /// Finds a task's file, which may be on a disk that is missing or does not respond.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - queue: The queue for the application's files.
    /// - Throws: ``TransferError`` if it cannot be opened now; that may be temporary, and no bytes are lost.
    func findFile(of task: TaskID, on queue: BlockingQueue) async throws(TransferError) {
        let name = Self.name(of: task)
        if let refusal = await places.reopen(for: task, named: name, on: queue) {
            throw Self.unreachable(path(of: task), refusal)
        }
    }

    /// Returns the error for a file that cannot be opened now, through no fault of a server or network.
    private static func unreachable(
        _ path: String,
        _ refusal: FilePlaces.Refusal
    ) -> TransferError {
        TransferError(code: .fileUnreachable, message: "\(path) cannot be opened: \(refusal)")
    }

    private func place(of task: TaskID) -> FilePlaces.Place {
        places.place(of: task)
            ?? FilePlaces.Place(directory: downloads, name: Self.name(of: task))
    }

    /// Checks whether there is room for missing bytes.
    ///
    /// - Parameters:
    ///   - byteCount: The number of missing bytes; `nil` if the server has not sent it.
    ///   - task: The task that needs them.
    /// - Returns: The error; `nil` if there is room, or if that is unknown.
    func shortage(of byteCount: Int64?, for task: TaskID) -> TransferError? {
        // With less, the disk would be full again at once.
        let needed = max(byteCount ?? 0, 1 << 20)
        let directory = place(of: task).directory
        guard let available = try? directory.availableByteCount(), available < needed else {
            return nil
        }
        return TransferError(
            code: .diskFull,
            message: "\(directory.path) has room for \(available) bytes, and \(needed) are needed"
        )
    }

    /// The path of a task's file.
    func path(of task: TaskID) -> String {
        let name = Self.name(of: task)
        return places.path(named: name) ?? downloads.path(of: name)
    }

    /// Returns the present path of a finished file, whose directory may have moved since it was named, and what the
    /// directory is recognized by; `nil` if that is unknown.
    func present(fileAt path: String) -> (path: String, directoryIdentity: String?) {
        guard let name = Self.ownName(ofFileAt: path) else {
            // The file was written in the directory that it is for.
            return (path, FilePlaces.directoryIdentity(ofFileAt: path))
        }
        return (presentDirectory() + "/" + name, identity)
    }

    /// The path that leads to the directory for files now, which is looked for once in each turn of the loop.
    private func presentDirectory() -> String {
        if let presentPath { return presentPath }
        let path = downloads.presentPath
        presentPath = path
        LoopActor.perform { self.presentPath = nil }
        return path
    }

    /// The name of a file in the daemon's own directory; `nil` if it is elsewhere.
    private static func ownName(ofFileAt path: String) -> Substring? {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[$0...].dropFirst() }
        return name.flatMap { $0.utf8.starts(with: Self.prefix.utf8) ? $0 : nil }
    }

    /// Keeps a complete file open until its task has ended in the store, so that ``seal(task:)`` need not open it
    /// again.
    func complete(_ file: PartialFile, of task: TaskID) { completeFiles[task] = file }

    /// Removes the record of its origin from a complete file, and releases the file that was sent for it.
    func seal(task: TaskID) {
        uploads.discard(task: task)
        let file = completeFiles.removeValue(forKey: task)
        if let file { file.finish() } else { openAndSeal(task) }
        places.close(task: task)
    }

    /// Removes the record from a file that was completed in another way: a copy, or the response to an upload.
    private func openAndSeal(_ task: TaskID) {
        let place = place(of: task)
        // A record that remains after a failure does no harm.
        try? place.directory.remove(place.name + ".record")
        let file = try? place.directory.open(place.name, .readWrite)
        guard let file else { return }
        _ = try? file.removeAttribute("user.ferry.transfer")
    }

    /// Deletes a task's file, if there is one; off the loop, as deleting a large file takes time.
    ///
    /// The file that the task would have sent is released as well.
    func discard(task: TaskID) {
        uploads.discard(task: task)
        remove(task, with: PartialFile.suffixesToRemove)
    }

    /// Deletes the file of a task that has ended, if it still exists; all else was deleted when the task ended.
    func discardFile(ofEnded task: TaskID) { remove(task, with: [PartialFile.toldSuffix, ""]) }

    /// Deletes the companions of a file of a task that has ended, and what the task has sent.
    func discardCompanions(ofEnded task: TaskID) {
        uploads.discard(task: task)
        remove(task, with: PartialFile.companionSuffixes)
    }

    private func remove(_ task: TaskID, with suffixes: [String]) {
        completeFiles[task] = nil
        let name = Self.name(of: task)
        if suffixes.contains("") {
            tasksWithFiles?.remove(task)
            places.discard(task: task, named: name)
        }
        let downloads = downloads
        queue.perform {
            for suffix in suffixes {
                // A file that cannot be deleted is found again when the daemon starts.
                try? downloads.remove(name + suffix)
            }
        }
    }

    /// The files of tasks that an earlier daemon left.
    struct Leftovers {
        /// The tasks that have files.
        var tasks: Set<TaskID> = []
        /// The tasks among them that have more than the file of a download.
        var tasksWithCompanions: Set<TaskID> = []
    }

    /// Finds the files that an earlier daemon left: all later files are this one's.
    func findLeftovers() -> Leftovers {
        let names = try? downloads.names()
        if let names { places.record(names) }
        var found = Leftovers()
        for name in names ?? [] {
            guard let task = Self.task(of: name) else { continue }
            found.tasks.insert(task)
            if !name.hasSuffix(Self.suffix), !name.hasSuffix(FilePlaces.suffix) {
                found.tasksWithCompanions.insert(task)
            }
        }
        let uploads = uploads.tasks()
        found.tasks.formUnion(uploads)
        found.tasksWithCompanions.formUnion(uploads)
        if names != nil { tasksWithFiles = found.tasks }
        return found
    }

    /// Takes over the partial file of resume data.
    ///
    /// - Parameters:
    ///   - data: The resume data.
    ///   - task: The task that continues.
    ///   - queue: The queue for the application's files: the partial file may be anywhere.
    /// - Returns: What is known about its bytes.
    /// - Throws: ``TransferError`` when it cannot be used.
    func adopt(
        _ data: Data,
        for task: TaskID,
        on queue: BlockingQueue
    ) async throws(TransferError) -> Checkpoint {
        let resumeData = try ResumeData(decoding: Array(data))
        try await findFile(of: task, on: queue)
        if let target = FilePlaces.directory(ofFileAt: resumeData.path) {
            let name = Self.name(of: task)
            // A file that is absent because its disk is may come back. One that was moved here already is not there.
            if !hasFile(task), places.path(named: name) == nil,
                let absence = await places.absence(ofFileAt: resumeData.path, on: queue)
            {
                throw Self.unreachable(resumeData.path, absence)
            }
            // It continues where it was written.
            let refusal = await places.choose(for: task, named: name, in: target, on: queue)
            if refusal == .doesNotAnswer {
                throw Self.unreachable(resumeData.path, .doesNotAnswer)
            }
        }
        let place = place(of: task)
        tasksWithFiles?.insert(task)
        _ = try await PartialFile.adopt(
            resumeData,
            into: place.directory,
            as: place.name,
            on: queue
        )
        return resumeData.checkpoint
    }

    /// Makes resume data of a task's partial file, which ``keep(task:for:)`` moves to the path in the data: until the
    /// store has the data, the file is the task's.
    ///
    /// - Throws: Why the download cannot be resumed (RD-1).
    func makeResumeData(
        task: TaskID,
        request: TransferRequest,
        currentURL: String?,
        checkpoint: Checkpoint?
    ) throws(ResumeData.Unavailable) -> Data {
        let file = file(of: task)
        // Without a file nothing has been received, whatever else there may be to say.
        _ = try? file.recover(checkpoint: checkpoint)
        var data = try ResumeData(request: request, currentURL: currentURL, file: file)
        // A file with its own place stays there.
        if places.path(named: Self.name(of: task)) == nil { data.path = keptPath(of: task, data) }
        do throws(TransferError) {
            return Data(try data.encoded())
        } catch {
            throw .bytesLost
        }
    }

    /// Moves the partial file of a task that has ended to where it stays until its resume data is used, unless it is
    /// already there, or was already taken from there.
    ///
    /// - Throws: ``TransferError`` when the file cannot be moved; it stays where it is.
    func keep(task: TaskID, for resumeData: Data) throws(TransferError) {
        let data = try ResumeData(decoding: Array(resumeData))
        do {
            try places.release(
                task: task,
                named: Self.name(of: task),
                keeping: data.path,
                to: resumable,
                as: Self.keptName(of: task, data)
            )
        } catch {
            throw TransferError(error, during: .create)
        }
        // Unused resume data that the task was made from represents another file.
        if data.path == keptPath(of: task, data), hasFile(task) {
            try file(of: task).move(to: resumable, as: Self.keptName(of: task, data))
        }
        discard(task: task)
    }

    private func hasFile(_ task: TaskID) -> Bool {
        do {
            return try downloads.status(of: Self.name(of: task)) != nil
        } catch {
            // A file that may exist must not be deleted.
            return true
        }
    }

    private func keptPath(of task: TaskID, _ data: ResumeData) -> String {
        resumable.path(of: Self.keptName(of: task, data))
    }

    /// Returns the name of a kept file, which is always the same; a new queue with the same numbers does not replace
    /// what an earlier one has left.
    private static func keptName(of task: TaskID, _ data: ResumeData) -> String {
        "Resume_\(digits(of: task))_\(String(data.checkpoint.generation, radix: 36))"
    }

    /// Deletes partial files whose resume data was not used for a long time.
    func removeExpiredResumeFiles(now: Date) {
        let oldest = Int64(now.timeIntervalSince1970) - Self.resumeDataLifetime
        for name in (try? resumable.names()) ?? [] {
            // Measured since the file was put here: its bytes may be much older.
            guard let status = try? resumable.status(of: name), status.changeTime < oldest
            else { continue }
            if name.hasSuffix(FilePlaces.suffix) {
                places.discard(linkedBy: name, in: resumable)
            } else {
                try? resumable.remove(name)
            }
        }
    }

    private static func name(of task: TaskID) -> String { prefix + digits(of: task) + suffix }

    private static func digits(of task: TaskID) -> String {
        let digits = String(task.rawValue, radix: 36, uppercase: true)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    private static func task(of name: String) -> TaskID? {
        guard name.hasPrefix(prefix) else { return nil }
        return Int64(name.dropFirst(prefix.count).prefix { $0 != "." }, radix: 36).map {
            TaskID($0)
        }
    }
}

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

    private var entries: [ApplicationID: Entry] = [:]

    /// Returns the queue of an application, which exists as long as anything uses it.
    ///
    /// - Parameter application: The application's number; `nil` if it is no longer known.
    /// - Returns: The queue, the same for each of its files.
    func queue(of application: ApplicationID?) -> BlockingQueue {
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
