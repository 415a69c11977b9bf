import FerrySystem
import Foundation
import Glibc

/// The responses of a ``URLCache`` on disk, in a directory of their own: a file each, named by a hash of its key.
///
/// A lookup opens the file with the name and reads nothing else. A file is written under another name and renamed, so
/// that there is never a part of one, whatever ends the process. The time of a file's last change is that of its
/// last use. Other processes may do the same in the directory at any time; what they have removed is a miss.
///
/// Sizes and uses are listed when the room that is used is first needed. They are then known, except for what other
/// processes do, and listed again when there seems to be no room, or when a tenth of the capacity has been written.
///
/// Errors are misses: a response that cannot be stored is not, and no former one is left in its place. Where one cannot
/// be removed, the disk is not used, as it would be found again, until a later lookup or storing has removed all.
struct CacheDisk {
    /// Apart from the files that Foundation's cache may have in the same place.
    private static let directoryName = "io.ferry.responses"
    private static let temporaryPrefix = "new-"

    private let path: String
    private var directory: Directory?
    /// The files with their last uses; nil when they were not listed yet.
    private var files: RecencyList<String, Date>?
    private var byteCountSinceListing = 0
    /// What was being written when the files were listed.
    private var unfinishedByteCount = 0
    /// When a response was first left that should be gone: until all are, none is looked up or stored.
    private var unremovedSince: ContinuousClock.Instant?
    private let instant: @Sendable () -> ContinuousClock.Instant

    /// The responses below a directory, which is created when something is stored.
    init(path: String, instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.path = path
        self.instant = instant
    }

    /// Returns how many bytes there are.
    mutating func byteCount() -> Int {
        guard unremovedSince == nil, let directory = try? open() else { return 0 }
        return (try? usedByteCount(in: directory)) ?? 0
    }

    /// Looks up a response, and marks it as used.
    ///
    /// A file without a valid response is removed.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - limit: The greatest size of a file that is read.
    /// - Returns: The response; nil if there is none.
    mutating func response(for key: CacheKey, limit: Int) -> KeptResponse? {
        guard isReliable(), let name = key.fileName, let former = openUnchecked() else {
            return nil
        }
        if let kept = response(named: name, for: key, limit: limit, in: former) { return kept }
        // It may have been removed, and made anew.
        guard let directory = try? open(), directory !== former else { return nil }
        return response(named: name, for: key, limit: limit, in: directory)
    }

    private mutating func response(
        named name: String,
        for key: CacheKey,
        limit: Int,
        in directory: Directory
    ) -> KeptResponse? {
        do throws(SystemCallError) {
            let file = try directory.open(name, .readWithoutWaiting)
            let status = try file.status()
            guard status.size <= limit else { return nil }
            let (now, mark) = (Date(), status.lastUse)
            let isDue = KeptResponse.isDue(lastMark: mark, now: now)
            guard status.isRegularFile,
                let kept = CacheFile.read(
                    file,
                    byteCount: Int(status.size),
                    for: key,
                    marked: isDue ? now : mark
                )
            else {
                discard(name, in: directory)
                return nil
            }
            if isDue { try? directory.touch(name) }
            files?.insert(now, for: name, cost: Self.cost(status.size))
            return kept
        } catch {
            switch error.errno {
            case ELOOP: discard(name, in: directory)
            case ENOENT: files?.remove(name)
            default: break
            }
            return nil
        }
    }

    /// Notes that a response was used that is in memory, too.
    ///
    /// - Parameters:
    ///   - key: The key, of which there need not be a file.
    ///   - isMarking: Whether to mark the file, which is for other processes and for later ones.
    mutating func recordUse(of key: CacheKey, marking isMarking: Bool) {
        guard isMarking || files != nil, unremovedSince == nil, let name = key.fileName else {
            return
        }
        files?.use(name) { $0 = Date() }
        if isMarking { try? openUnchecked()?.touch(name) }
    }

    /// Stores a response if it can be stored and there is room for it; one that it replaces is gone in any case.
    mutating func store(_ kept: KeptResponse, for key: CacheKey, capacity: Int) {
        guard let name = key.fileName else { return }
        guard isReliable(), let file = CacheFile(kept, for: key),
            Self.cost(Int64(file.byteCount)) <= capacity,
            let directory = try? open(creating: true)
        else { return remove(key) }
        let cost = Self.cost(Int64(file.byteCount))
        do throws(SystemCallError) {
            guard try makeRoom(for: cost, as: name, in: directory, capacity: capacity) else {
                return remove(name, in: directory)
            }
            try Self.write(file, as: name, in: directory)
            files?.insert(Date(), for: name, cost: cost)
            byteCountSinceListing += cost
        } catch {
            remove(name, in: directory)
        }
    }

    /// Removes the response for a key.
    mutating func remove(_ key: CacheKey) {
        guard let name = key.fileName, let directory = openForRemoval() else { return }
        remove(name, in: directory)
    }

    /// Removes all responses, durably.
    mutating func removeAll() {
        unremovedSince = nil
        guard let directory = openForRemoval() else { return }
        for name in namesForRemoval(in: directory) {
            if Self.isFile(name) { remove(name, in: directory) }
            if Self.isTemporary(name) { discard(name, in: directory) }
        }
        files = nil
        synchronize(directory)
    }

    /// Removes the responses that were stored after a date, durably.
    mutating func removeAll(since date: Date) {
        guard let directory = openForRemoval() else { return }
        for name in namesForRemoval(in: directory) where Self.isFile(name) {
            let isEarlier = Self.dateOfStoring(name, in: directory).map { $0 <= date } ?? false
            if !isEarlier { remove(name, in: directory) }
        }
        synchronize(directory)
    }

    /// Removes the responses that were used least recently, until there are no more bytes than this.
    ///
    /// What cannot be removed now is in the way when something is stored.
    mutating func evict(to byteCount: Int) {
        guard let directory = try? open(), (try? list(directory)) != nil else { return }
        try? evict(to: byteCount, in: directory)
    }

    /// Returns whether nothing is there that should be gone.
    ///
    /// Something may have been left because of an error that has passed: all is removed, at most once a minute.
    private mutating func isReliable() -> Bool {
        if let unremovedSince, instant() - unremovedSince >= .seconds(60) { removeAll() }
        return unremovedSince == nil
    }

    private mutating func recordUnremoved() { unremovedSince = unremovedSince ?? instant() }

    /// Removes a response's file, which must not be found again.
    private mutating func remove(_ name: String, in directory: Directory) {
        files?.remove(name)
        do throws(SystemCallError) {
            try directory.remove(name)
        } catch {
            // A file system that cannot be written says so of files that are not there, too.
            if Self.mayBeFound(name, in: directory) { recordUnremoved() }
        }
    }

    /// Removes a file that has no response.
    private mutating func discard(_ name: String, in directory: Directory) {
        try? directory.remove(name)
        files?.remove(name)
    }

    /// Returns whether a lookup may find a file.
    private static func mayBeFound(_ name: String, in directory: Directory) -> Bool {
        do throws(SystemCallError) {
            return try directory.status(of: name)?.isRegularFile ?? false
        } catch {
            return true
        }
    }

    /// Returns when a response was stored; nil if its file cannot be read, so that it may be any.
    private static func dateOfStoring(_ name: String, in directory: Directory) -> Date? {
        guard let file = try? directory.open(name, .readWithoutWaiting) else { return nil }
        return CacheFile.date(of: file)
    }

    /// Returns what a file of a size counts: file systems allocate blocks of this size, and small files are many.
    private static func cost(_ byteCount: Int64) -> Int {
        // More than any file has, and a thousand times less than what can be added up.
        let blocks = (min(max(byteCount, 1), 1 << 50) + 4095) / 4096
        return Int(blocks) * 4096
    }
}

// MARK: - The directory

extension CacheDisk {
    /// Opens the directory, once more if it was removed or replaced.
    ///
    /// - Parameter isCreating: Whether to create it if it is missing.
    /// - Returns: The directory; nil if there is none, or if other users may change what is in it.
    /// - Throws: `mkdir`, `mkdirat`, `open` or `openat`: there may be one.
    private mutating func open(
        creating isCreating: Bool = false
    ) throws(SystemCallError) -> Directory? {
        LoopActor.assertMayBlock()
        if let directory, directory.isInPlace { return directory }
        files = nil
        directory = nil
        do throws(SystemCallError) {
            directory = try Self.open(in: path, creating: isCreating)
        } catch {
            guard [ENOENT, ENOTDIR, ELOOP].contains(error.errno) else { throw error }
        }
        return directory
    }

    /// Opens the directory, if there is one, to remove responses.
    private mutating func openForRemoval() -> Directory? {
        do throws(SystemCallError) {
            return try open()
        } catch {
            recordUnremoved()
            return nil
        }
    }

    /// Returns the names in the directory, some of which are to be removed.
    private mutating func namesForRemoval(in directory: Directory) -> [String] {
        do throws(SystemCallError) {
            return try directory.names()
        } catch {
            recordUnremoved()
            return []
        }
    }

    /// Makes a removal durable.
    private mutating func synchronize(_ directory: Directory) {
        do throws(SystemCallError) {
            try directory.synchronize()
        } catch {
            // Some file systems cannot do so for directories (fsync(2)).
            if error.errno != EINVAL { recordUnremoved() }
        }
    }

    /// Opens the directory if it is not open yet: a hit need not look whether it was removed.
    private mutating func openUnchecked() -> Directory? {
        LoopActor.assertMayBlock()
        return try? directory ?? open()
    }

    private static func open(
        in path: String,
        creating isCreating: Bool
    ) throws(SystemCallError) -> Directory? {
        let parent = try Directory(opening: path, creatingPrivate: isCreating)
        let directory: Directory
        do throws(SystemCallError) {
            directory = try parent.openSubdirectory(directoryName, creating: false)
        } catch {
            guard error.errno == ENOENT, isCreating else { throw error }
            directory = try parent.openSubdirectory(directoryName)
            removeFoundationsFiles(in: parent)
        }
        return directory.isPrivate ? directory : nil
    }

    /// Removes what Foundation's cache has stored in the same place, before Ferry's stored its responses itself.
    private static func removeFoundationsFiles(in directory: Directory) {
        for name in (try? directory.names()) ?? [] {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, Int64(parts[0]) != nil, parts[2] == "storedcachedurlresponse"
            else {
                continue
            }
            try? directory.remove(name)
        }
    }

    private static func write(
        _ content: CacheFile,
        as name: String,
        in directory: Directory
    ) throws(SystemCallError) {
        let temporary = temporaryPrefix + UUID().uuidString
        do throws(SystemCallError) {
            let file = try directory.open(temporary, .createNew)
            try content.write(to: file)
            try file.close()
            try directory.rename(temporary, to: directory, as: name, replacing: true)
        } catch {
            try? directory.remove(temporary)
            throw error
        }
    }

    private static func isFile(_ name: String) -> Bool {
        name.utf8.count == 64
            && name.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    private static func isTemporary(_ name: String) -> Bool { name.hasPrefix(temporaryPrefix) }
}

// MARK: - The room

extension CacheDisk {
    /// Has room for a file, which may replace one.
    ///
    /// Where there is none, a tenth of the capacity is left free, so that the next files need no listing.
    ///
    /// - Returns: Whether there is room; otherwise what is being written takes too much.
    private mutating func makeRoom(
        for cost: Int,
        as name: String,
        in directory: Directory,
        capacity: Int
    ) throws(SystemCallError) -> Bool {
        let known = try usedByteCount(in: directory, without: name)
        guard known + cost > capacity || byteCountSinceListing + cost > capacity / 10 else {
            return true
        }
        try list(directory)
        guard try usedByteCount(in: directory, without: name) + cost > capacity else { return true }
        guard unfinishedByteCount + cost <= capacity else { return false }
        try evict(to: capacity - capacity / 10 - cost, in: directory)
        return true
    }

    private mutating func evict(
        to byteCount: Int,
        in directory: Directory
    ) throws(SystemCallError) {
        let byteCount = max(byteCount - unfinishedByteCount, 0)
        while let cost = files?.cost, cost > byteCount, let name = files?.removeOldest() {
            do throws(SystemCallError) {
                try directory.remove(name)
            } catch {
                // It is still there, and may be found: it is a valid response, for which there is no room.
                files = nil
                throw error
            }
        }
    }

    /// Returns how many bytes there are, as far as this process knows.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - name: A file that is about to be replaced or removed, which does not count any more.
    /// - Returns: The sum, which includes what was being written when the files were listed.
    /// - Throws: What listing throws.
    private mutating func usedByteCount(
        in directory: Directory,
        without name: String? = nil
    ) throws(SystemCallError) -> Int {
        if files == nil { try list(directory) }
        if let name { files?.remove(name) }
        return unfinishedByteCount + (files?.cost ?? 0)
    }

    /// Lists the files, the least recently used first, and removes what was left unfinished.
    private mutating func list(_ directory: Directory) throws(SystemCallError) {
        var found: [(name: String, status: FileStatus)] = []
        for name in try directory.names() where Self.isFile(name) || Self.isTemporary(name) {
            guard let status = try? directory.status(of: name), status.isRegularFile else {
                continue
            }
            found.append((name, status))
        }
        // Not before: other processes use files meanwhile.
        let now = Date()
        unfinishedByteCount = 0
        for (name, status) in found where Self.isTemporary(name) {
            if abs(now.timeIntervalSince(status.lastUse)) > 600 {
                // No process has been writing it for that long: the one that did has ended.
                try? directory.remove(name)
            } else {
                unfinishedByteCount += Self.cost(status.size)
            }
        }
        files = order(found.filter { Self.isFile($0.name) }, at: now)
        byteCountSinceListing = 0
    }

    /// Orders files, the least recently used first.
    private func order(
        _ found: [(name: String, status: FileStatus)],
        at now: Date
    ) -> RecencyList<String, Date> {
        let uses = found.map { name, status in
            let times = [status.lastUse, files?.value(for: name)].compactMap { $0 }
            // A server's clock may be a little fast. If it is a lot, or the clock was set back, its times tell nothing.
            let lastUse = times.filter { $0.timeIntervalSince(now) < 60 }.max() ?? .distantPast
            return (name: name, lastUse: lastUse, cost: Self.cost(status.size))
        }
        var ordered = RecencyList<String, Date>()
        for use in uses.sorted(by: { $0.lastUse < $1.lastUse }) {
            ordered.insert(use.lastUse, for: use.name, cost: use.cost)
        }
        return ordered
    }
}

extension FileStatus {
    /// When a response's file was last marked as used.
    fileprivate var lastUse: Date { Date(timeIntervalSince1970: Double(modificationTime)) }
}
