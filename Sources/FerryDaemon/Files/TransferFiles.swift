import FerryHTTP
import FerrySystem
import FerryTransfer
import FoundationEssentials

/// Where downloads lie while they load and until their application has taken them.
///
/// A file keeps its name from its first byte on; what makes it a finished download is the event in
/// the store. Its name is made of the task's number alone, never of anything a server says.
@LoopActor
final class TransferFiles {
    /// How long a partial file waits for its resume data to be used, in seconds: 90 days.
    private static let resumeDataLifetime: Int64 = 7_776_000
    private static let prefix = "CFNetworkDownload_"
    private static let suffix = ".tmp"

    /// The directory that holds the whole queue.
    let stateDirectory: String
    /// Where waiting for the disk happens.
    let queue = BlockingQueue(label: "ferry.disk")
    private let downloads: Directory
    private let resumable: Directory

    /// Opens or creates the directories.
    ///
    /// - Parameter state: The daemon's directory.
    /// - Throws: `openat` or `mkdirat` with the path.
    init(in state: Directory) throws(SystemCallError) {
        stateDirectory = state.path
        downloads = try state.openSubdirectory("downloads")
        resumable = try state.openSubdirectory("resumable")
    }

    /// A task's file.
    func file(of task: Int64) -> PartialFile {
        PartialFile(directory: downloads, name: Self.name(of: task))
    }

    /// The path of a task's file.
    func path(of task: Int64) -> String { downloads.path(of: Self.name(of: task)) }

    /// Takes the record of its origin off a file that is complete.
    func seal(task: Int64) {
        let name = Self.name(of: task)
        // What is left on it by a failure does no harm.
        try? downloads.remove(name + ".record")
        guard let file = try? downloads.open(name, .readWrite) else { return }
        try? file.removeAttribute("user.ferry.transfer")
    }

    /// Deletes a task's file, if there is one, off the loop: deleting a large one takes time.
    func discard(task: Int64) {
        let name = Self.name(of: task)
        let downloads = downloads
        let suffixes = [""] + PartialFile.companionSuffixes
        queue.perform {
            for suffix in suffixes {
                // What cannot be deleted is found again when the daemon starts.
                try? downloads.remove(name + suffix)
            }
        }
    }

    /// The tasks that have files.
    func tasks() -> [Int64] {
        let names = (try? downloads.names()) ?? []
        return Set(names.compactMap { Self.task(of: $0) }).sorted()
    }

    /// Takes over the partial file of resume data.
    ///
    /// - Returns: What is known about its bytes.
    /// - Throws: ``TransferError`` when it cannot be used.
    func adopt(_ data: Data, for task: Int64) async throws(TransferError) -> Checkpoint {
        let resumeData = try ResumeData(decoding: Array(data))
        _ = try await PartialFile.adopt(
            resumeData,
            into: downloads,
            as: Self.name(of: task),
            on: queue
        )
        return resumeData.checkpoint
    }

    /// Puts a task's partial file where it stays until its resume data is used.
    ///
    /// - Returns: The resume data, or `nil` where the download cannot be resumed (RD-1).
    func makeResumeData(
        task: Int64,
        request: TransferRequest,
        currentURL: String?,
        checkpoint: Checkpoint?
    ) -> Data? {
        let file = file(of: task)
        do {
            guard try file.recover(checkpoint: checkpoint) != nil else { return nil }
            // It must be possible before the file is moved.
            _ = try ResumeData(request: request, currentURL: currentURL, file: file)
            try file.move(to: resumable, as: "Resume_\(UUID().uuidString)")
            let data = try ResumeData(request: request, currentURL: currentURL, file: file)
            return Data(try data.encoded())
        } catch {
            return nil
        }
    }

    /// Deletes partial files whose resume data was not used for a long time.
    func removeExpiredResumeFiles(now: Date) {
        let oldest = Int64(now.timeIntervalSince1970) - Self.resumeDataLifetime
        for name in (try? resumable.names()) ?? [] {
            guard let status = try? resumable.status(of: name), status.modificationTime < oldest
            else { continue }
            try? resumable.remove(name)
        }
    }

    private static func name(of task: Int64) -> String {
        let digits = String(task, radix: 36, uppercase: true)
        let padding = String(repeating: "0", count: max(0, 6 - digits.count))
        return prefix + padding + digits + suffix
    }

    private static func task(of name: String) -> Int64? {
        guard name.hasPrefix(prefix) else { return nil }
        return Int64(name.dropFirst(prefix.count).prefix { $0 != "." }, radix: 36)
    }
}
