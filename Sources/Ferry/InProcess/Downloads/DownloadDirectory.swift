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

    /// Returns a name that no other partial file has.
    static func partialName() -> String {
        let number = UInt128.random(in: .min ... .max)
        return "\(String(number, radix: 36)).partial"
    }

    /// Gives a complete file the name under which the app receives it.
    @LoopActor
    static func publish(_ file: PartialFile) throws(TransferError) -> URL {
        let directory = file.directory
        let name = try freeName(in: directory)
        try file.publish(to: directory, as: name)
        return URL(filePath: directory.path(of: name), directoryHint: .notDirectory)
    }

    /// Returns an unused name in the form of Apple's library.
    private static func freeName(in directory: Directory) throws(TransferError) -> String {
        do {
            while true {
                let name = "CFNetworkDownload_\(randomLetters(6)).tmp"
                if try directory.status(of: name) == nil { return name }
            }
        } catch {
            throw TransferError(error, during: .create)
        }
    }

    private static func randomLetters(_ count: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        // One random number for all letters: each number costs a system call.
        var number = UInt64.random(in: .min ... .max)
        let letters = (0..<count).map { _ in
            defer { number /= UInt64(alphabet.count) }
            return alphabet[Int(number % UInt64(alphabet.count))]
        }
        return String(decoding: letters, as: UTF8.self)
    }

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
        name.contains(".partial")
            || name.hasPrefix("CFNetworkDownload_") && name.hasSuffix(".tmp")
    }
}
