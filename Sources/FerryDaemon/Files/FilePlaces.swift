import FerrySystem
import FerryTransfer
import Glibc

/// Where the files of downloads are that do not grow in the daemon's own directory.
///
/// A download that is for a directory on another file system grows there, under a hidden name. Its place is told by a
/// symbolic link among the daemon's own files, which is made before the file and deleted after it: so whatever dies when,
/// the file is found, and deleted when its task has gone. While its disk is not there, the link stays.
@LoopActor
final class FilePlaces {
    /// A place for one file.
    struct Place: Sendable {
        var directory: Directory
        var name: String
    }

    /// Why a file does not grow in a place, or not now.
    enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// Its file system has not answered in time.
        case doesNotAnswer
        /// Another disk is there, or none.
        case isElsewhere
        /// What the directory is.
        case directory(TargetDirectory.Refusal)

        /// For people.
        var description: String {
            switch self {
            case .doesNotAnswer: "its disk does not answer"
            case .isElsewhere: "its disk is not there"
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

    /// How the name of a link ends.
    nonisolated static let suffix = ".place"
    nonisolated private static let prefix = ".ferry-"

    private let downloads: Directory
    private let patience: Duration
    /// Whether there may be a link: while there is none, none is looked for.
    private var mayHaveLinks = true
    /// The places that are open.
    private var open: [Int64: Place] = [:]
    /// What deletes the files in a directory.
    private var deletions: [String: Deletions] = [:]

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
    /// - Returns: Why it cannot be opened now, and nothing is known of the file; `nil` where it can, or there is none.
    func reopen(for task: Int64, named name: String, on queue: BlockingQueue) async -> Refusal? {
        guard open[task] == nil, let path = path(named: name) else { return nil }
        let result = await PlaceChoice(patience: patience).made(by: queue) { Self.place(at: path) }
        switch result {
        case nil: return .doesNotAnswer
        case .failure(let refusal): return refusal
        case .success(let place):
            open[task] = place
            return nil
        }
    }

    /// Learns which names an earlier daemon has left among the daemon's own files.
    func note(_ names: [String]) {
        mayHaveLinks = names.contains { $0.hasSuffix(Self.suffix) }
    }

    /// The path of a task's file, if it has a place of its own.
    func path(named name: String) -> String? {
        mayHaveLinks ? try? downloads.link(name + Self.suffix) : nil
    }

    /// Chooses where a task's file is to grow, if it has no place yet.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - name: The name of its file in the daemon's own directory.
    ///   - target: The directory that it is for.
    ///   - queue: What makes calls on the application's files.
    /// - Returns: Why it grows in the daemon's own directory; `nil` where it does not, or should.
    func choose(
        for task: Int64,
        named name: String,
        in target: String,
        on queue: BlockingQueue
    ) async -> Refusal? {
        guard open[task] == nil, path(named: name) == nil else { return nil }
        mayHaveLinks = true
        let downloads = downloads
        let choice = PlaceChoice(patience: patience)
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

    /// Lets go of what is open of a task.
    func close(task: Int64) { open[task] = nil }

    /// Leaves a file to the resume data that stands for it, if it does.
    ///
    /// - Parameters:
    ///   - task: The task that it was of.
    ///   - name: The name of its file in the daemon's own directory.
    ///   - path: Where the resume data says that it is.
    ///   - keeper: The directory where the link to it is from now on.
    ///   - newName: The name that the file would have there.
    /// - Throws: `renameat2`.
    func release(
        task: Int64,
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
        if mayHaveLinks { discard(linkedBy: name + Self.suffix, in: downloads) }
    }

    /// Deletes a file and the link to it, off the loop.
    func discard(linkedBy link: String, in directory: Directory) {
        guard let path = try? directory.link(link) else { return }
        let queue = queue(for: Self.directory(ofFileAt: path) ?? path)
        queue.perform {
            Self.remove(fileAt: path, linkedBy: link, in: directory)
            // Until then it is that directory's.
            withExtendedLifetime(queue) {}
        }
    }

    /// What deletes the files in a directory: that takes time, and its disk may not answer.
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
            // What has begun to grow in the daemon's directory goes on there.
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
            // From here on it is the daemon's own disk that is waited for.
            guard choice.settle() else { throw .doesNotAnswer }
            return try calling { () throws(SystemCallError) in
                try begin(named: name, in: directory, disk, downloads)
            }
        }
    }

    /// Makes sure, without a trace, that a file can be made in a directory.
    nonisolated private static func requireWritable(
        _ directory: Directory
    ) throws(SystemCallError) {
        let number = directory.descriptor
        try systemCall("faccessat", directory.path) {
            faccessat(number, ".", W_OK | X_OK, AT_EACCESS)
        }
    }

    /// Links to a new place.
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
            guard let target = directory(ofFileAt: path) else { throw .isElsewhere }
            let directory: Directory
            do throws(TargetDirectory.Refusal) {
                directory = try TargetDirectory.reopen(target)
            } catch {
                throw .directory(error)
            }
            let place = Place(directory: directory, name: String(path.dropFirst(target.count + 1)))
            let isThere = try calling { () throws(SystemCallError) in try isOnItsDisk(place) }
            guard isThere else { throw .isElsewhere }
            return place
        }
    }

    /// Whether what is at a place, be it nothing, is what was left there: another disk may be mounted, or none.
    nonisolated private static func isOnItsDisk(_ place: Place) throws(SystemCallError) -> Bool {
        guard try place.directory.status(of: place.name) == nil else { return true }
        let known = place.name.dropFirst(prefix.count).split(separator: "-").dropFirst().first
        guard let known else { return true }
        return try DiskIdentity(of: place.directory).text == known
    }

    /// Deletes a file, and then the link to it, so that what is not deleted is left to the next daemon.
    nonisolated private static func remove(
        fileAt path: String,
        linkedBy link: String,
        in keeper: Directory
    ) {
        LoopActor.assertMayBlock()
        do throws(SystemCallError) {
            if let target = directory(ofFileAt: path) {
                let place = Place(
                    directory: try Directory(opening: target),
                    name: String(path.dropFirst(target.count + 1))
                )
                guard try isOnItsDisk(place) else { return }
                for ending in PartialFile.suffixesToRemove {
                    try place.directory.remove(place.name + ending)
                }
            }
            try keeper.remove(link)
        } catch {
            // Its disk may be there another time.
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

/// What tells whether a directory is the one that it was, also after a restart of the machine.
///
/// Where a disk was unmounted its mount point may still be there, empty, and another disk may take its place.
struct DiskIdentity: Hashable, Sendable {
    /// As a part of a file's name.
    let text: String

    /// Looks at a directory.
    init(of directory: Directory) throws(SystemCallError) {
        let number = directory.descriptor
        var status = stat()
        try systemCall("fstat", directory.path) { fstat(number, &status) }
        var disk = statvfs()
        try systemCall("fstatvfs", directory.path) { fstatvfs(number, &disk) }
        // Device numbers change with the order in which disks are found; these are of the disk.
        let mixed = UInt64(disk.f_fsid) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(status.st_ino)
        text = String(mixed, radix: 36)
    }
}
