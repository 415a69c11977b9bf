import FerrySystem
import Foundation
@preconcurrency import Glibc

/// A copy of a finished file in the directory that it is for: on another file system, or where a file that is
/// created gets attributes that a link would not have.
///
/// It gets its name when it is complete and on disk.
struct PlacementCopy {
    private let placement: Placement
    private let source: String
    private var directory: Directory { placement.directory }

    init(_ placement: Placement, source: String) {
        self.placement = placement
        self.source = source
    }

    /// Makes the copy.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - status: Its status.
    ///   - name: The wanted name.
    /// - Returns: The name of the copy.
    /// - Throws: ``FileError``; nothing of the copy is left then.
    func make(
        of file: borrowing FileDescriptor,
        _ status: stat,
        as name: FileName
    ) throws(FileError) -> String {
        // The name is the same for each attempt with a source, so that killed attempts leave nothing behind in the end.
        let temporary =
            Placement.hiddenPrefix + URL(fileURLWithPath: source).lastPathComponent
        unlinkat(directory.descriptor, temporary, 0)
        let permissions =
            directory.attribute(Placement.defaultList) == nil
            ? placement.attributes.permissions : 0o666
        if let copy = unnamed(permissions) {
            try fill(copy, from: file, status, directory.path)
            do throws(FileError) {
                return try placement.firstFree(name) { (candidate) throws(FileError) in
                    do throws(SystemCallError) {
                        try directory.link(copy, as: candidate)
                    } catch {
                        throw FileError(error)
                    }
                }
            } catch let error where [ENOENT, EPERM, EOPNOTSUPP, EXDEV].contains(error.errno) {
                // Without /proc it cannot be named; on a file system without links only renamed.
            }
        }
        return try makeNamed(temporary, permissions, of: file, status, as: name)
    }

    private func unnamed(_ permissions: mode_t) -> FileDescriptor? {
        // Any failure shows with a named file, too.
        guard placement.usesUnnamedFiles else { return nil }
        return try? directory.openUnnamed(permissions: permissions)
    }

    private func makeNamed(
        _ temporary: String,
        _ permissions: mode_t,
        of file: borrowing FileDescriptor,
        _ status: stat,
        as name: FileName
    ) throws(FileError) -> String {
        let copy = try create(temporary, permissions)
        do {
            try fill(copy, from: file, status, directory.path(of: temporary))
            return try renameToFirstFree(temporary, permissions, as: name)
        } catch {
            unlinkat(directory.descriptor, temporary, 0)
            throw error
        }
    }

    /// Writes the bytes and forces them onto the disk.
    private func fill(
        _ copy: borrowing FileDescriptor,
        from file: borrowing FileDescriptor,
        _ status: stat,
        _ path: String
    ) throws(FileError) {
        do throws(SystemCallError) {
            try copy.clone(file)
        } catch {
            try copyBytes(from: file.rawValue, to: copy.rawValue, path: path)
        }
        let number = copy.rawValue
        adjust(number)
        placement.setMetadata(of: copy)
        try FileError.of("fsync", path) { fsync(number) }
        // A process that dies before the file is removed does not make a second copy.
        var made = stat()
        guard fstat(number, &made) == 0 else { return }
        try? file.setAttribute(Placement.copyAttribute, Array(Placement.identity(made).utf8))
    }

    private func copyBytes(from source: Int32, to copy: Int32, path: String) throws(FileError) {
        var offset: off_t = 0
        while true {
            let count = try FileError.of("sendfile", path) {
                sendfile(copy, source, &offset, 1 << 30)
            }
            if count == 0 { return }
        }
    }

    /// Sets what the directory does not decide: this process may have another umask or group than `ferry get`.
    ///
    /// A file system without permissions or owners refuses, as it does for other programs.
    private func adjust(_ copy: Int32) {
        var (made, target) = (stat(), stat())
        guard fstat(copy, &made) == 0, fstat(directory.descriptor, &target) == 0 else { return }
        if target.st_mode & S_ISGID == 0, let group = placement.attributes.group,
            made.st_gid != group
        {
            _ = fchown(copy, uid_t.max, group)
        }
        let permissions = placement.attributes.permissions
        if directory.attribute(Placement.defaultList) == nil, made.st_mode & 0o777 != permissions {
            _ = fchmod(copy, permissions)
        }
    }

    /// Reserves the name with an empty file first: of two processes that want it, only one can create it.
    private func renameToFirstFree(
        _ temporary: String,
        _ permissions: mode_t,
        as name: FileName
    ) throws(FileError) -> String {
        let final = try placement.firstFree(name) { (candidate) throws(FileError) in
            _ = try create(candidate, permissions)
        }
        do {
            try FileError.of("rename", directory.path(of: final)) {
                renameat(directory.descriptor, temporary, directory.descriptor, final)
            }
            return final
        } catch {
            unlinkat(directory.descriptor, final, 0)
            throw error
        }
    }

    private func create(_ name: String, _ permissions: mode_t) throws(FileError) -> FileDescriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return FileDescriptor(
            owning: try FileError.of("open", directory.path(of: name)) {
                openat(directory.descriptor, name, flags, permissions)
            }
        )
    }
}
