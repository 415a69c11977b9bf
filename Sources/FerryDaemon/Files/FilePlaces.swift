import FerrySystem
import FerryTransfer
import Glibc

/// Where the files of downloads are that do not grow in the daemon's own directory.
///
/// A download that is for a directory on another file system grows there, under a hidden name. Its place is told by a
/// symbolic link among the daemon's own files, which is made before the file: so whatever dies when, the file is found,
/// and deleted when its task has gone.
@LoopActor
final class FilePlaces {
    /// A place for one file.
    struct Place: Sendable {
        var directory: Directory
        var name: String
    }

    nonisolated private static let suffix = ".place"
    nonisolated private static let prefix = ".ferry-"

    private let downloads: Directory
    private let patience: Duration
    /// Deleting a large file takes time, and the disks are not the daemon's.
    let queue = BlockingQueue(label: "ferry.places")
    /// The places that are open.
    private var open: [Int64: Place] = [:]

    /// Finds places by links in a directory.
    ///
    /// - Parameters:
    ///   - downloads: The daemon's own directory.
    ///   - patience: How long the file system of a place has to answer.
    init(in downloads: Directory, patience: Duration = PlaceChoice.patience) {
        self.downloads = downloads
        self.patience = patience
    }

    /// The place of a task's file, if it has one of its own that was opened before.
    ///
    /// It is not opened here: its disk may not answer.
    func place(of task: Int64) -> Place? { open[task] }

    /// Opens the place of a task's file that an earlier daemon has chosen, if it has one.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - name: The name of its file in the daemon's own directory.
    ///   - queue: What makes calls on the application's files.
    /// - Returns: Whether its file system answers; if not, nothing is known of the file.
    func reopen(for task: Int64, named name: String, on queue: BlockingQueue) async -> Bool {
        guard open[task] == nil, let path = path(named: name) else { return true }
        let result = await PlaceChoice(patience: patience).made(by: queue) { Self.place(at: path) }
        switch result {
        case .success(let place): open[task] = place
        // The disk that it was on is not there. The bytes are fetched again.
        case .failure: try? downloads.remove(name + Self.suffix)
        case nil: return false
        }
        return true
    }

    /// The path of a task's file, if it has a place of its own.
    func path(named name: String) -> String? { try? downloads.link(name + Self.suffix) }

    /// Chooses where a task's file is to grow.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - name: The name of its file in the daemon's own directory.
    ///   - target: The directory that it is for.
    ///   - queue: What makes calls on the application's files.
    /// - Returns: Why it grows in the daemon's own directory, for the log; `nil` where it does not, or should.
    func choose(
        for task: Int64,
        named name: String,
        in target: String,
        on queue: BlockingQueue
    ) async -> String? {
        guard open[task] == nil else { return nil }
        let downloads = downloads
        let choice = PlaceChoice(patience: patience)
        let result = await choice.made(by: queue) {
            Self.choice(named: name, in: target, downloads, choice)
        }
        guard let result else { return "its file system does not answer" }
        switch result {
        case .success(let place):
            open[task] = place
            return nil
        case .failure(.isNotElsewhere): return nil
        case .failure(.isNotOfThisMachine): return "its file system may not answer"
        case .failure(.isNotSafe): return "others may write there, or change its path"
        case .failure(.call(let error)): return "\(error)"
        }
    }

    /// Lets go of what is open of a task.
    func close(task: Int64) { open[task] = nil }

    /// Leaves a file to the resume data that stands for it, if it does.
    func release(task: Int64, named name: String, keeping path: String) {
        guard self.path(named: name) == path else { return }
        open[task] = nil
        try? downloads.remove(name + Self.suffix)
    }

    /// The directory of a file that has grown in a place of its own; `nil` for another.
    nonisolated static func directory(ofFileAt path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex,
            path[path.index(after: slash)...].hasPrefix(prefix)
        else { return nil }
        return String(path[..<slash])
    }

    /// Deletes a task's file where it has a place of its own, off the loop.
    func discard(task: Int64, named name: String) {
        open[task] = nil
        guard path(named: name) != nil else { return }
        let downloads = downloads
        queue.perform { Self.remove(named: name, downloads) }
    }

    // MARK: - Off the loop

    nonisolated private static func choice(
        named name: String,
        in target: String,
        _ downloads: Directory,
        _ choice: PlaceChoice
    ) -> Result<Place, TargetDirectory.Refusal> {
        Result { () throws(TargetDirectory.Refusal) in
            do throws(SystemCallError) {
                if let path = try downloads.link(name + suffix) {
                    if case .success(let place) = place(at: path) { return place }
                    // The disk that it was on is not there. The bytes are fetched again.
                    try downloads.remove(name + suffix)
                }
                // What has begun to grow in the daemon's directory goes on there.
                guard try downloads.status(of: name) == nil else {
                    throw SystemCallError(call: "open", errno: 0)
                }
            } catch {
                if error.errno == 0 { throw .isNotElsewhere }
                throw .call(error)
            }
            let directory = try TargetDirectory.open(target, apartFrom: downloads)
            do throws(SystemCallError) {
                return try choice.unlessAbandoned { () throws(SystemCallError) in
                    try begin(named: name, in: directory, downloads)
                }
            } catch {
                throw .call(error)
            }
        }
    }

    /// Links to a new place, and makes sure that a file can be made there.
    nonisolated private static func begin(
        named name: String,
        in directory: Directory,
        _ downloads: Directory
    ) throws(SystemCallError) -> Place {
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        let place = Place(directory: directory, name: "\(prefix)\(number)")
        try downloads.makeLink(name + suffix, to: directory.path(of: place.name))
        do throws(SystemCallError) {
            try downloads.synchronize()
            try directory.open(place.name + ".new", .createNew).close()
            try directory.remove(place.name + ".new")
        } catch {
            try? downloads.remove(name + suffix)
            throw error
        }
        return place
    }

    nonisolated private static func place(
        at path: String
    ) -> Result<Place, TargetDirectory.Refusal> {
        Result { () throws(TargetDirectory.Refusal) in
            guard let directory = directory(ofFileAt: path) else {
                throw .call(SystemCallError(call: "open", errno: ENOENT, subject: path))
            }
            return Place(
                directory: try TargetDirectory.reopen(directory),
                name: String(path.dropFirst(directory.count + 1))
            )
        }
    }

    nonisolated private static func remove(named name: String, _ downloads: Directory) {
        guard let path = try? downloads.link(name + suffix) else { return }
        if case .success(let place) = place(at: path) {
            for ending in [""] + PartialFile.companionSuffixes {
                try? place.directory.remove(place.name + ending)
            }
        }
        // Last, so that a daemon that dies in between leaves what it has not deleted to the next.
        try? downloads.remove(name + suffix)
    }
}
