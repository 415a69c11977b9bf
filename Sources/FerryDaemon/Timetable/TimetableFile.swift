import FerrySystem
import Glibc

/// The file with the user's timetable.
///
/// It is the user's: it may be missing, appear later, be a link, or lie on a server that does not answer. All calls on
/// it are therefore made by a thread of its own, one after the other.
final class TimetableFile: Sendable {
    /// What was found.
    struct Reading: Sendable {
        /// The text, or why it cannot be read; `nil` if there is no file, or an empty one.
        var text: Result<String, TimetableError>?
        /// The changes since; `nil` if the kernel does not list them.
        var changes: Result<DirectoryChanges, SystemCallError>
    }

    /// The file's path.
    let path: String
    private let queue = BlockingQueue(label: "ferry.timetable")

    /// Creates the file's owner; nothing is read yet.
    ///
    /// - Parameter path: The file's path, by default the one in the user's directory for settings.
    init(path: String = BaseDirectories().configHome + "/ferry/timetable") { self.path = path }

    /// Reads the file.
    @LoopActor
    func read() async -> Reading { await queue.run { self.readNow() } }

    /// Changes the text of the file, which is created if it is missing.
    ///
    /// The new text is on the disk when this returns, and no other reader ever sees a part of it.
    ///
    /// - Parameter edit: Changes the text.
    /// - Returns: The new text.
    /// - Throws: ``TimetableError`` if the file cannot be read or written, or from `edit`.
    @LoopActor
    func change(
        _ edit: @escaping @Sendable (inout TimetableText) throws(TimetableError) -> Void
    ) async throws(TimetableError) -> TimetableText {
        try await queue.run { () throws(TimetableError) in
            do throws(TimetableError) {
                let old = TimetableText(try self.text()?.get() ?? "")
                var new = old
                try edit(&new)
                if new != old { try self.write(new.text) }
                return new
            } catch {
                guard error.cause == .file else { throw error }
                throw Self.error("\(self.path): \(error.message)")
            }
        }
    }

    // MARK: Reading

    private func readNow() -> Reading {
        let changes: Result<DirectoryChanges, SystemCallError>
        do throws(SystemCallError) {
            changes = .success(try listChanges())
        } catch {
            changes = .failure(error)
        }
        // Only then: what changes while it is read is listed.
        let text = text()
        return Reading(text: text == .success("") ? nil : text, changes: changes)
    }

    private func text() -> Result<String, TimetableError>? {
        PersonalFile.text(at: path).map { $0.mapError { Self.error($0.message) } }
    }

    private static func error(_ message: String) -> TimetableError {
        TimetableError(message, cause: .file)
    }

    // MARK: Changes

    private func listChanges() throws(SystemCallError) -> DirectoryChanges {
        while true {
            let entries = entries()
            do throws(SystemCallError) {
                let changes = try DirectoryChanges(of: entries)
                // A directory may have appeared just before its parent was watched.
                if entries == self.entries() { return changes }
            } catch let error where error.errno == ENOENT || error.errno == ENOTDIR {
                // It was there a moment ago.
            }
        }
    }

    /// The entries whose changes may change the text: the file, or the first directory on the way to it that is missing;
    /// and where the file is a link, what it leads to.
    private func entries() -> [DirectoryEntry] {
        var (directory, name) = Self.split(path)
        var isAwaited = false
        while directory != "/", !Self.isDirectory(directory) {
            (directory, name) = Self.split(directory)
            isAwaited = true
        }
        let entry = DirectoryEntry(name, in: directory, isAwaited: isAwaited)
        let target = target
        guard !isAwaited, target != path else { return [entry] }
        let (targetDirectory, targetName) = Self.split(target)
        return [entry, DirectoryEntry(targetName, in: targetDirectory)]
    }

    /// The path of the file that the file's path leads to, without links; the path itself if there is none.
    private var target: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let directory = String(path[..<slash])
        return (directory.isEmpty ? "/" : directory, String(path[path.index(after: slash)...]))
    }

    // MARK: Writing

    /// Replaces the file, or what the link in its place leads to.
    private func write(_ text: String) throws(TimetableError) {
        do throws(SystemCallError) {
            let (path, name) = Self.split(target)
            let directory = try Directory(opening: path, creatingPrivate: true)
            let newName = ".\(name).new"
            let file = try directory.open(newName, .create)
            try file.truncate(to: 0)
            try Array(text.utf8).withUnsafeBytes { bytes in
                Result { () throws(SystemCallError) in try file.writeAll(bytes) }
            }.get()
            let raw = file.rawValue
            if let permissions = try directory.status(of: name)?.permissions {
                try systemCall("fchmod", directory.path(of: newName)) { fchmod(raw, permissions) }
            }
            try file.synchronize()
            try directory.rename(newName, to: directory, as: name, replacing: true)
            try directory.synchronize()
        } catch {
            throw Self.error("it cannot be written: \(error)")
        }
    }
}
