import FerryStore
import FerrySystem
import FerryTransfer
import Glibc

/// The places of downloads whose files are not written in the daemon's own directory.
///
/// A download for a directory on another file system is written there, under a hidden name. A symbolic link among the
/// daemon's own files records its place. The link is made before the file and deleted after it, so that the file is
/// found after a crash at any time, and deleted once its task is gone. While its disk is missing, the link stays.
@LoopActor
final class FilePlaces {
    /// A place for one file.
    struct Place: Sendable {
        var directory: Directory
        var name: String
    }

    /// Why a file is not written in a place, or not now.
    enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// Its file system did not respond in time.
        case doesNotAnswer
        /// Another disk is mounted there, or none.
        case isElsewhere
        /// The directory was refused.
        case directory(TargetDirectory.Refusal)

        /// For people.
        var description: String {
            switch self {
            case .doesNotAnswer: "its disk does not respond"
            case .isElsewhere: "its disk is missing"
            case .directory(.isNotElsewhere): "it is on the daemon's own disk"
            case .directory(.isNotOfThisMachine): "its file system may not answer"
            case .directory(.isNotSafe): "others may write there, or change its path"
            case .directory(.call(let error)): "\(error)"
            }
        }
    }

    private struct Deletions {
        weak var queue: BlockingQueue?
    }

    /// The suffix of a link's name.
    nonisolated static let suffix = ".place"
    nonisolated private static let prefix = ".ferry-"

    private let downloads: Directory
    private let timeout: Duration
    /// Whether there may be a link; if not, none is searched for.
    private var mayHaveLinks = true
    /// The places that are open.
    private var open: [TaskID: Place] = [:]
    /// The queues that delete files, by directory.
    private var deletions: [String: Deletions] = [:]

    /// Creates an object that finds places by the links in a directory.
    ///
    /// - Parameters:
    ///   - downloads: The daemon's own directory.
    ///   - timeout: The time that the file system of a place has to respond.
    init(in downloads: Directory, timeout: Duration = PlaceChoice.timeout) {
        self.downloads = downloads
        self.timeout = timeout
    }

    /// Returns the place of a task's file, if it has its own and that is open.
    ///
    /// The place is not opened here: its disk may not respond.
    func place(of task: TaskID) -> Place? { open[task] }

    /// Opens the place that an earlier daemon chose for a task's file, if there is one.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - name: The name of its file in the daemon's own directory.
    ///   - queue: The queue for the application's files.
    /// - Returns: Why it cannot be opened now, so that nothing is known about the file; `nil` if it is open, or if
    ///   there is none.
    func reopen(for task: TaskID, named name: String, on queue: BlockingQueue) async -> Refusal? {
        guard open[task] == nil, let path = path(named: name) else { return nil }
        let result = await PlaceChoice(timeout: timeout).made(by: queue) { Self.place(at: path) }
        switch result {
        case nil: return .doesNotAnswer
        case .failure(let refusal): return refusal
        case .success(let place):
            open[task] = place
            return nil
        }
    }

    /// Finds out whether the disk of a file that was written in its own place is there.
    ///
    /// If it is, so is the file, unless it was removed.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - queue: The queue for the application's files.
    /// - Returns: Why the disk cannot be used; `nil` if it is there.
    func absence(ofFileAt path: String, on queue: BlockingQueue) async -> Refusal? {
        let found = await PlaceChoice(timeout: timeout).made(by: queue) {
            Result { () throws(Refusal) in try Self.placeOnDisk(ofFileAt: path) }
        }
        return switch found {
        case nil: .doesNotAnswer
        case .failure(let refusal): refusal
        case .success: nil
        }
    }

    /// Returns the nearest directory of a file's path that there is, if it is on the disk that the file was on.
    nonisolated private static func placeOnDisk(ofFileAt path: String) throws(Refusal) -> Place {
        guard let (target, name) = split(path) else { throw .isElsewhere }
        var nearest = target
        while !nearest.isEmpty, access(nearest, F_OK) != 0 {
            nearest = String(nearest[..<(nearest.lastIndex(of: "/") ?? nearest.startIndex)])
        }
        let found = nearest.isEmpty ? "/" : nearest
        let (directory, disk) = try calling { () throws(SystemCallError) in
            let directory = try Directory(opening: found)
            return (directory, try DiskIdentity(of: directory).text)
        }
        if let known = diskText(ofFileNamed: name) {
            guard DiskIdentity.disk(in: disk) == DiskIdentity.disk(in: known) else {
                throw .isElsewhere
            }
        }
        return Place(directory: directory, name: name)
    }

    /// Records the names that an earlier daemon left among the daemon's own files.
    func record(_ names: [String]) {
        mayHaveLinks = names.contains { $0.hasSuffix(Self.suffix) }
    }

    /// Returns the path of a task's file, if it has its own place.
    func path(named name: String) -> String? {
        mayHaveLinks ? try? downloads.link(name + Self.suffix) : nil
    }

    /// Chooses where a task's file is written, if it has no place yet.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - name: The name of its file in the daemon's own directory.
    ///   - target: The directory that the download is for.
    ///   - queue: The queue for the application's files.
    /// - Returns: Why it is written in the daemon's own directory; `nil` if it is not, or if it should be.
    func choose(
        for task: TaskID,
        named name: String,
        in target: String,
        on queue: BlockingQueue
    ) async -> Refusal? {
        guard open[task] == nil, path(named: name) == nil else { return nil }
        mayHaveLinks = true
        let downloads = downloads
        let choice = PlaceChoice(timeout: timeout)
        let result = await choice.made(by: queue) {
            Self.choice(named: name, in: target, downloads, choice)
        }
        switch result {
        case nil: return .doesNotAnswer
        case .failure(.directory(.isNotElsewhere)): return nil
        case .failure(let refusal): return refusal
        case .success(let place):
            open[task] = place
            return nil
        }
    }

    /// Closes the place of a task's file.
    func close(task: TaskID) { open[task] = nil }

    /// Leaves a task's file to its resume data, if the data names that file.
    ///
    /// - Parameters:
    ///   - task: The task that the file belonged to.
    ///   - name: The name of its file in the daemon's own directory.
    ///   - path: The file's path in the resume data.
    ///   - keeper: The new directory of the link to the file.
    ///   - newName: The name that the file would have there.
    /// - Throws: `renameat2`.
    func release(
        task: TaskID,
        named name: String,
        keeping path: String,
        to keeper: Directory,
        as newName: String
    ) throws(SystemCallError) {
        guard self.path(named: name) == path else { return }
        try downloads.rename(
            name + Self.suffix,
            to: keeper,
            as: newName + Self.suffix,
            replacing: true
        )
        open[task] = nil
    }

    /// Returns the directory of a file that was written in its own place; `nil` for another file.
    nonisolated static func directory(ofFileAt path: String) -> String? { split(path)?.directory }

    /// Returns what the directory of a file that was written in its own place is recognized by: its name has that.
    nonisolated static func directoryIdentity(ofFileAt path: String) -> String? {
        split(path).flatMap { diskText(ofFileNamed: $0.name) }
    }

    /// Returns the directory and the name of a file that was written in its own place; `nil` for another file.
    nonisolated private static func split(_ path: String) -> (directory: String, name: String)? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        let name = path[path.index(after: slash)...]
        return name.hasPrefix(prefix) ? (String(path[..<slash]), String(name)) : nil
    }

    nonisolated private static func diskText(ofFileNamed name: String) -> String? {
        name.dropFirst(prefix.count).split(separator: "-").dropFirst().first.map(String.init)
    }

    /// Deletes a task's file off the loop, if it has its own place.
    func discard(task: TaskID, named name: String) {
        open[task] = nil
        if mayHaveLinks { discard(linkedBy: name + Self.suffix, in: downloads) }
    }

    /// Deletes a file and the link to it, off the loop.
    func discard(linkedBy link: String, in directory: Directory) {
        guard let path = try? directory.link(link) else { return }
        let queue = queue(for: Self.directory(ofFileAt: path) ?? path)
        queue.perform {
            Self.remove(fileAt: path, linkedBy: link, in: directory)
            // Until then the queue remains the one for that directory.
            withExtendedLifetime(queue) {}
        }
    }

    /// Returns the queue that deletes files in a directory: that takes time, and its disk may not respond.
    func queue(for directory: String) -> BlockingQueue {
        if let queue = deletions[directory]?.queue { return queue }
        deletions = deletions.filter { $0.value.queue != nil }
        let queue = BlockingQueue(label: "ferry.places")
        deletions[directory] = Deletions(queue: queue)
        return queue
    }

    // MARK: - Off the loop

    nonisolated private static func choice(
        named name: String,
        in target: String,
        _ downloads: Directory,
        _ choice: PlaceChoice
    ) -> PlaceChoice.Outcome {
        Result { () throws(Refusal) in
            // A file that was begun in the daemon's directory continues there.
            let present = try calling { () throws(SystemCallError) in
                try downloads.status(of: name)
            }
            guard present == nil else { throw .directory(.isNotElsewhere) }
            let directory: Directory
            do throws(TargetDirectory.Refusal) {
                directory = try TargetDirectory.open(target, apartFrom: downloads)
            } catch {
                throw .directory(error)
            }
            let disk = try calling { () throws(SystemCallError) in
                try requireWritable(directory)
                return try DiskIdentity(of: directory)
            }
            // From here on, the choice waits only for the daemon's own disk.
            guard choice.settle() else { throw .doesNotAnswer }
            return try calling { () throws(SystemCallError) in
                try begin(named: name, in: directory, disk, downloads)
            }
        }
    }

    /// Checks, without leaving a trace, that a file can be made in a directory.
    nonisolated private static func requireWritable(
        _ directory: Directory
    ) throws(SystemCallError) {
        let number = directory.descriptor
        try systemCall("faccessat", directory.path) {
            faccessat(number, ".", W_OK | X_OK, AT_EACCESS)
        }
    }

    /// Creates the link to a new place.
    nonisolated private static func begin(
        named name: String,
        in directory: Directory,
        _ disk: DiskIdentity,
        _ downloads: Directory
    ) throws(SystemCallError) -> Place {
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        let place = Place(directory: directory, name: "\(prefix)\(number)-\(disk.text)")
        do throws(SystemCallError) {
            try downloads.makeLink(name + suffix, to: directory.path(of: place.name))
            try downloads.synchronize()
        } catch {
            try? downloads.remove(name + suffix)
            throw error
        }
        return place
    }

    /// Opens a place that was chosen before.
    nonisolated private static func place(at path: String) -> PlaceChoice.Outcome {
        Result { () throws(Refusal) in
            guard let target = split(path) else { throw .isElsewhere }
            let directory: Directory
            do throws(TargetDirectory.Refusal) {
                directory = try TargetDirectory.reopen(target.directory)
            } catch {
                throw .directory(error)
            }
            let place = Place(directory: directory, name: target.name)
            let isThere = try calling { () throws(SystemCallError) in try isOnItsDisk(place) }
            guard isThere else { throw .isElsewhere }
            return place
        }
    }

    /// Returns whether a place, even without a file, is on its original disk: another disk may be mounted, or none.
    nonisolated private static func isOnItsDisk(_ place: Place) throws(SystemCallError) -> Bool {
        guard try place.directory.status(of: place.name) == nil else { return true }
        guard let known = diskText(ofFileNamed: place.name) else { return true }
        return try DiskIdentity(of: place.directory).text == known
    }

    /// Deletes a file and then the link to it, so that the next daemon finds a file that was not deleted.
    nonisolated private static func remove(
        fileAt path: String,
        linkedBy link: String,
        in keeper: Directory
    ) {
        LoopActor.assertMayBlock()
        do throws(SystemCallError) {
            if let (target, name) = split(path) {
                let place = Place(directory: try Directory(opening: target), name: name)
                guard try isOnItsDisk(place) else { return }
                for ending in PartialFile.suffixesToRemove {
                    try place.directory.remove(place.name + ending)
                }
            }
            try keeper.remove(link)
        } catch {
            // Its disk may be available later.
            return
        }
    }

    nonisolated private static func calling<T>(
        _ body: () throws(SystemCallError) -> T
    ) throws(Refusal) -> T {
        do throws(SystemCallError) {
            return try body()
        } catch {
            throw .directory(.call(error))
        }
    }
}
