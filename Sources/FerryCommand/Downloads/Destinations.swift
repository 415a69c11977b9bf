import FerrySystem
import Foundation
@preconcurrency import Glibc

/// Where the files of a command go, which is checked before anything is loaded.
struct Destinations {
    private let asked: Int64
    private let begun: Int64
    private let permissions: mode_t
    private let command: EndCommand?
    private var known: [String: KnownDirectory?] = [:]

    /// The destinations of files that are asked for now.
    ///
    /// - Parameters:
    ///   - now: The present.
    ///   - command: The command that runs after each of them.
    init(at now: Date, command: EndCommand? = nil) {
        self.command = command
        asked = Int64(now.timeIntervalSince1970)
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &clock)
        begun = Int64(clock.tv_sec) * 1_000_000_000 + Int64(clock.tv_nsec)
        let mask = umask(0o077)
        umask(mask)
        permissions = 0o666 & ~mask
    }

    /// Returns the destination of each download, and creates the directories that are missing.
    ///
    /// - Parameter downloads: The downloads.
    /// - Returns: Their destinations, in their order.
    /// - Throws: ``UnusableDirectory``, or ``UnusableName`` of the first one that cannot be saved.
    mutating func all(of downloads: [RequestedDownload]) throws -> [Destination] {
        try downloads.map { download in
            let directory = download.directory
            if known[directory] == nil {
                try UnusableDirectory.check(directory)
                let opened = try? Directory(opening: directory)
                known.updateValue(opened.flatMap(KnownDirectory.init), forKey: directory)
            }
            if let name = download.name { try UnusableName.check(name, in: directory) }
            var destination = Destination(
                directory: directory,
                name: download.name,
                permissions: permissions,
                group: getegid(),
                known: known[directory] ?? nil,
                asked: asked
            )
            if download.precedence != .both {
                destination.precedence = download.precedence
                destination.begun = begun
            }
            if download.keepsTime { destination.keepsTime = true }
            if download.followsName { destination.followsName = true }
            if download.keepsErrors { destination.keepsErrors = true }
            if download.keepsOrigin { destination.keepsOrigin = true }
            destination.newerThan = download.olderPath
            destination.exec = command?.text
            return destination
        }
    }
}
