import FerrySystem
import Foundation
@preconcurrency import Glibc

/// Why a file cannot be saved now, which may pass.
struct Obstacle: Error, Hashable, Sendable {
    /// The directory in which a change may end it.
    let directory: String
    /// A description for people, such as `waits for its disk: /mnt/stick is not mounted`.
    let text: String
    /// Whether the kernel reports its end; otherwise the file is also tried again after a while.
    let isReported: Bool

    /// A disk that is not mounted.
    ///
    /// - Parameters:
    ///   - mountPoint: Where it was mounted.
    ///   - directory: The directory that is on it.
    init(missing mountPoint: String, of directory: String) {
        self.directory = directory
        text = "waits for its disk: \(mountPoint) is not mounted"
        isReported = true
    }

    /// A complete file that is not in its directory.
    ///
    /// - Parameters:
    ///   - directory: The directory in which it was.
    ///   - known: What is in the way of the directory itself, if that is known.
    init(absentFrom directory: String, _ known: String?) {
        self.directory = directory
        let other =
            "waits for its directory: \(directory) was renamed or replaced, or is on another disk"
        text = known ?? other
        isReported = true
    }

    /// The obstacle that is the reason of a failure; nil if that does not pass.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - directory: The directory in which a change may end it.
    init?(_ error: FileError, in directory: String) {
        self.directory = directory
        isReported = false
        switch error.outlook {
        case .noRoom: text = "waits for room: \(error)"
        case .noDisk: text = "waits for its disk: \(error)"
        case .busy: text = "waits: \(error)"
        case .refusedName, .final: return nil
        }
    }
}

extension Destination {
    /// What is in the way of a complete file now: its directory cannot be opened.
    ///
    /// nil if it can be, or if the directory is not known.
    var currentObstacle: String? {
        guard known != nil else { return nil }
        do {
            _ = try open()
            return nil
        } catch {
            return (error as? Obstacle)?.text ?? "waits for its directory: \(error)"
        }
    }

    /// Opens the directory that a file is for.
    ///
    /// It is not made again: whoever has removed or renamed it does not expect that.
    ///
    /// - Returns: The directory.
    /// - Throws: ``FileError`` when it is missing although its disk is there, or when it cannot be used; ``Obstacle``
    ///   when its disk is missing.
    func open() throws -> Directory {
        guard let known else {
            // Of a version of Ferry that did not remember it.
            try? FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true
            )
            return try openNow()
        }
        // A disk that is mounted between two looks would make its bare mount point, or a directory that is missing there,
        // pass for what is on it. So its disk is there before the directory is opened, and afterwards.
        try require(known, of: try? openNow())
        do {
            let opened = try openNow()
            try require(known, of: opened)
            return opened
        } catch let error as FileError {
            try require(known, of: nil)
            throw error
        }
    }

    private func require(_ known: KnownDirectory, of opened: Directory?) throws(Obstacle) {
        guard !known.isOnItsDisk(opened) else { return }
        throw Obstacle(missing: known.mountPoint, of: directory)
    }

    private func openNow() throws(FileError) -> Directory {
        do throws(SystemCallError) {
            return try Directory(opening: directory)
        } catch {
            throw FileError(error)
        }
    }
}
