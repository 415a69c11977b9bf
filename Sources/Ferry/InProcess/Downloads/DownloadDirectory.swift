import FerrySystem
import FerryTransfer
import Foundation
@preconcurrency import Glibc
import Synchronization

/// The directory for the files of default and ephemeral sessions: partial ones, and finished ones that the app has not
/// taken yet.
enum DownloadDirectory {
    /// The directory that was opened last.
    private static let current = Mutex<Directory?>(nil)

    /// Opens `$XDG_CACHE_HOME/ferry/downloads`, or else a directory of this user among the temporary ones.
    ///
    /// It is created again when it is gone: a cache may be cleared while its owner runs.
    static func open() throws(TransferError) -> Directory {
        if let directory = current.withLock({ $0 }), directory.isInPlace { return directory }
        let directory = try openCacheOrTemporary()
        sweepOnce(directory)
        current.withLock { $0 = directory }
        return directory
    }

    private static func openCacheOrTemporary() throws(TransferError) -> Directory {
        if let cache = try? Directory(opening: cachePath, creatingPrivate: true), cache.isPrivate {
            return cache
        }
        do throws(SystemCallError) {
            // Any user can have created a directory of this name among the temporary files. In that case an
            // unpredictable name is used.
            let known = temporaryPath("ferry-\(NSUserName())")
            if let directory = try openTemporary(known) { return directory }
            let fresh = temporaryPath("ferry-\(NSUserName())-\(partialName())")
            if let directory = try openTemporary(fresh) { return directory }
            throw SystemCallError(call: "open", errno: EACCES, subject: fresh)
        } catch {
            throw TransferError(error, during: .create)
        }
    }

    /// Opens the download directory in another directory; `nil` if that is not private to this user.
    private static func openTemporary(_ path: String) throws(SystemCallError) -> Directory? {
        let parent: Directory
        do throws(SystemCallError) {
            parent = try Directory(opening: path, creatingPrivate: true)
        } catch {
            // The directory belongs to another user, and cannot even be looked into.
            if error.errno == EACCES || error.errno == ENOTDIR || error.errno == EEXIST {
                return nil
            }
            throw error
        }
        guard parent.isPrivate, BaseDirectories.isPrivateDirectory(path) else { return nil }
        let directory = try parent.openSubdirectory("downloads")
        return directory.isPrivate ? directory : nil
    }

    /// Makes a file, which has the name under which the app receives it from its first byte on.
    ///
    /// If the process dies, so do its tasks, and nothing refers to the file.
    @LoopActor
    static func makeFile(in directory: Directory) -> PartialFile {
        PartialFile(directory: directory, named: finishedName)
    }

    /// Gives a complete file the name under which the app receives it, unless it has such a name.
    @LoopActor
    static func publish(
        _ file: PartialFile,
        named makeName: () -> String = finishedName
    ) throws(TransferError) -> String {
        let directory = file.directory
        guard !isFinished(file.name) else {
            file.finish()
            return directory.path(of: file.name)
        }
        while true {
            let name = makeName()
            do throws(TransferError) {
                try file.publish(to: directory, as: name)
                return directory.path(of: name)
            } catch {
                // A file of another process can have the name.
                guard (try? directory.status(of: name)) != nil else { throw error }
            }
        }
    }

    private static func isFinished(_ name: String) -> Bool { name.hasPrefix(finishedPrefix) }

    private static let finishedPrefix = "CFNetworkDownload_"

    private static var cachePath: String { BaseDirectories().cacheHome + "/ferry/downloads" }

    private static func temporaryPath(_ name: String) -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    }
}

extension DownloadDirectory {
    /// The age at which an unused file is removed.
    ///
    /// A process that dies leaves partial files behind, and so does resume data that is never used. It is unknown for
    /// which of them resume data still exists.
    static let greatestAge: TimeInterval = 30 * 24 * 60 * 60

    private static let hasSwept = Mutex(false)

    /// Removes old files in the background, once per process.
    static func sweepOnce(_ directory: Directory) {
        let isFirst = hasSwept.withLock { hasSwept in
            defer { hasSwept = true }
            return !hasSwept
        }
        guard isFirst else { return }
        AppFiles.queue.perform { sweep(directory, now: Date()) }
    }

    /// Removes the files of downloads that are older than ``greatestAge``.
    static func sweep(_ directory: Directory, now: Date) {
        // Files that cannot be read or removed now are tried again by the next process.
        for name in (try? directory.names()) ?? [] where isDownload(name) {
            guard let status = try? directory.status(of: name), status.isRegularFile,
                now.timeIntervalSince1970 - TimeInterval(status.modificationTime) > greatestAge
            else { continue }
            try? directory.remove(name)
        }
    }

    private static func isDownload(_ name: String) -> Bool {
        // A partial file has companions, whose names begin with its own.
        name.contains(".partial") || name.hasPrefix(finishedPrefix)
    }
}

/// The names of the files.
///
/// They come from one random number for each process and a count: a random number for each file costs a system call.
extension DownloadDirectory {
    private static let processName = String(UInt128.random(in: .min ... .max), radix: 36)
    private static let firstNumber = UInt64.random(in: 0..<56_800_235_584)
    private static let nameCount = Atomic<UInt64>(0)
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8
    )

    /// Returns a name for a file that moves here, which no other file has.
    static func partialName() -> String { "\(processName)-\(nextCount()).partial" }

    /// Returns a name in the form of Apple's library that no other file of this process has.
    static func finishedName() -> String {
        // The step has no divisor in common with 62 to the power of 6, so that no name comes twice.
        var number = firstNumber &+ nextCount() &* 2_654_435_761
        let random = (0..<6).map { _ in
            let (quotient, index) = number.quotientAndRemainder(dividingBy: UInt64(letters.count))
            number = quotient
            return letters[Int(index)]
        }
        return "\(finishedPrefix)\(String(decoding: random, as: UTF8.self)).tmp"
    }

    private static func nextCount() -> UInt64 {
        nameCount.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
