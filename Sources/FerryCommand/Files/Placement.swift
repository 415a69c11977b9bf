import FerrySystem
import Foundation
@preconcurrency import Glibc

/// Moves a finished file to its destination, without replacing another unless the user wants that.
///
/// When the name is taken, it tries `name.1`, `name.2` and so on. A file that replaces another is first placed beside it, and
/// then renamed: whoever opens the name finds the old file or the new one. The result is on disk when it returns, because
/// ferryd then deletes its own copy. It has the owner, group, permissions, access control list and label that it would
/// have if the user's own program had created it there.
///
/// Other users may be able to write to the file's directory. Only the file that was checked is moved: it belongs to
/// the user and has no other name.
struct Placement {
    /// A file's attributes at its destination.
    struct Attributes: Hashable, Sendable {
        /// The file's permissions, less those of the umask.
        var permissions: mode_t
        /// The file's group, where the directory does not decide; nil for that of this process.
        var group: gid_t?
        /// When the content was last changed, in seconds since 1970; nil for now.
        var modificationTime: Int64?
        /// The extended attributes by their names.
        var extended: [String: String] = [:]
        /// What becomes of a file that has its name.
        var precedence = Destination.Precedence.both
        /// When the command began, in nanoseconds since 1970; nil if that is not known.
        ///
        /// What was changed later is not replaced.
        var begun: Int64?
    }

    /// The attribute of a finished file that names the copy that an earlier process has made of it.
    static let copyAttribute = "user.ferry.copy"
    /// What the names of copies that are not complete begin with.
    static let hiddenPrefix = ".ferry-"

    let directory: Directory
    let attributes: Attributes
    /// Whether a copy has no name until it is complete, where the file system has such files.
    let usesUnnamedFiles: Bool
    private let names: FileSystemNames
    private let source: String

    /// Moves a file.
    ///
    /// - Parameters:
    ///   - source: The path of the file; it is gone afterwards.
    ///   - directory: The directory to move it to.
    ///   - name: The wanted name.
    ///   - attributes: The file's attributes there.
    ///   - names: The names that the directory's file system takes; nil to ask it.
    ///   - usesUnnamedFiles: Whether a copy has no name until it is complete, where that is possible.
    /// - Returns: The file's new path, and its size in bytes.
    /// - Throws: ``FileError`` when the file could not be moved; it then stays where it was.
    static func move(
        _ source: String,
        to directory: Directory,
        as name: FileName,
        _ attributes: Attributes,
        names: FileSystemNames? = nil,
        usesUnnamedFiles: Bool = true
    ) throws(FileError) -> (path: String, byteCount: Int64) {
        let placement = Placement(
            directory: directory,
            attributes: attributes,
            usesUnnamedFiles: usesUnnamedFiles,
            names: names ?? FileSystemNames(of: directory.descriptor),
            source: source
        )
        // Something put in the file's place must neither lead elsewhere nor block.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = FileDescriptor(
            owning: try FileError.of("open", source) { Glibc.open(source, flags) }
        )
        let status = try placement.status(of: file)
        let final = try placement.place(file, status, as: name)
        // Before ferryd's copy goes: after a power cut, one of the two is there.
        try FileError.of("fsync", directory.path) { fsync(directory.descriptor) }
        _ = try? FileError.of("unlink", source) { unlink(source) }
        let path = directory.path == "/" ? "/\(final)" : "\(directory.path)/\(final)"
        return (path, Int64(status.st_size))
    }

    private func status(of file: borrowing FileDescriptor) throws(FileError) -> stat {
        let number = file.rawValue
        var status = stat()
        try FileError.of("fstat", source) { fstat(number, &status) }
        return status
    }

    /// Gives the file its name, or a copy of it; the first free one of those that the file system takes.
    private func place(
        _ file: borrowing FileDescriptor,
        _ status: stat,
        as name: FileName
    ) throws(FileError) -> String {
        let wanted = name.spellings(for: names)
        for spelling in wanted {
            if let earlier = placed(file, status, as: spelling) {
                return replaceIfWanted(spelling, by: earlier)
            }
        }
        // One that an earlier process has given it was found above.
        guard isOwn(status) else {
            throw FileError(call: "open", path: source, errno: EPERM)
        }
        var refusal: FileError?
        for spelling in wanted {
            do {
                return replaceIfWanted(spelling, by: try place(file, status, spelled: spelling))
            } catch let error where isRefused(error) {
                refusal = refusal ?? error
            }
        }
        throw refusal ?? FileError(call: "open", path: directory.path, errno: EINVAL)
    }

    /// Gives a file the wanted name in place of another, whose permissions it gets, if that is to be.
    ///
    /// - Parameters:
    ///   - wanted: The wanted name.
    ///   - name: The name that the file has.
    /// - Returns: The name that the file has then.
    private func replaceIfWanted(_ wanted: FileName, by name: String) -> String {
        guard name != wanted.text, let present = PresentFile(wanted.text, in: directory),
            present.isReplaced(by: attributes)
        else { return name }
        fchmodat(directory.descriptor, name, present.permissions, 0)
        guard renameat(directory.descriptor, name, directory.descriptor, wanted.text) == 0 else {
            return name
        }
        return wanted.text
    }

    /// Returns the path of the file that stays in place of a finished one; nil if that is to be placed.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - name: The wanted name.
    ///   - attributes: The attributes of the finished file.
    /// - Returns: The path.
    static func remaining(
        in directory: Directory,
        _ name: FileName,
        _ attributes: Attributes
    ) -> String? {
        let names = FileSystemNames(of: directory.descriptor)
        guard let wanted = name.spellings(for: names).first?.text,
            let present = PresentFile(wanted, in: directory),
            present.staysAlone(beside: attributes)
        else { return nil }
        return directory.path(of: wanted)
    }

    /// Sets the extended attributes, and when the content was last changed, if that is to be.
    ///
    /// A file system that has none of these refuses; the file counts all the same.
    func setMetadata(of file: borrowing FileDescriptor) {
        for (name, value) in attributes.extended { try? file.setAttribute(name, Array(value.utf8)) }
        guard let time = attributes.modificationTime else { return }
        // UTIME_OMIT of utimensat(2), which Swift does not import.
        let access = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
        futimens(file.rawValue, [access, timespec(tv_sec: Int(time), tv_nsec: 0)])
    }

    /// Whether a failure is the file system's answer to a name.
    private func isRefused(_ error: FileError) -> Bool {
        guard error.path.hasPrefix(directory.path + "/") else { return false }
        var status = stat()
        // exFAT answers a name with a colon as if the directory were missing.
        let isThere = fstat(directory.descriptor, &status) == 0 && status.st_nlink > 0
        return error.outlook == .refusedName || isThere && error.errno == ENOENT
    }

    private func place(
        _ file: borrowing FileDescriptor,
        _ status: stat,
        spelled name: FileName
    ) throws(FileError) -> String {
        guard takesAttributes(file, status) else { return try copy(file, status, as: name) }
        do {
            let number = file.rawValue
            try FileError.of("fchmod", source) { fchmod(number, attributes.permissions) }
            setMetadata(of: file)
            return try link(file, as: name)
        } catch let error
            where [EXDEV, EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EACCES].contains(error.errno)
        {
            return try copy(file, status, as: name)
        }
    }

    /// Whether a file belongs to the user and has no other name.
    private func isOwn(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid() && status.st_nlink == 1
    }

    // MARK: - What an earlier process has done

    /// Returns the name that an earlier process, which died before it reported that, has given the file or its copy.
    private func placed(
        _ file: borrowing FileDescriptor,
        _ status: stat,
        as name: FileName
    ) -> String? {
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { return nil }
        let copy = (try? file.attribute(Self.copyAttribute)).flatMap { $0 }
            .map { String(decoding: $0, as: UTF8.self) }
        guard status.st_nlink == 2 || copy != nil else { return nil }
        var number = 0
        var other = stat()
        while true {
            let candidate = name.numbered(number, names)
            guard fstatat(directory.descriptor, candidate, &other, AT_SYMLINK_NOFOLLOW) == 0 else {
                return nil
            }
            if other.st_dev == status.st_dev, other.st_ino == status.st_ino { return candidate }
            if let copy, copy == Self.identity(other) { return candidate }
            number += 1
        }
    }

    /// The text by which the copy of a file is recognized.
    static func identity(_ status: stat) -> String {
        "\(status.st_dev) \(status.st_ino) \(status.st_size)"
    }

    // MARK: - A second name

    /// Whether a link is what the user's program would have created, once the file has the right group.
    private func takesAttributes(_ file: borrowing FileDescriptor, _ status: stat) -> Bool {
        var target = stat()
        guard fstat(directory.descriptor, &target) == 0, target.st_dev == status.st_dev,
            directory.attribute(Self.defaultList) == nil,
            directory.attribute("system.nfs4_acl") == nil,
            SecurityLabel(of: directory).isKept(SecurityLabel(of: file))
        else { return false }
        let hasOwnGroup = target.st_mode & S_ISGID != 0
        let group = hasOwnGroup ? target.st_gid : attributes.group ?? getegid()
        let number = file.rawValue
        guard status.st_gid != group, fchown(number, uid_t.max, group) != 0 else { return true }
        // Only root may give a file to a group that the user is not in; the directory does.
        return !hasOwnGroup
    }

    /// The attribute with the access control list of the files that are created in a directory (acl(5)).
    static let defaultList = "system.posix_acl_default"

    /// Gives the file a second name; link(2) fails if the name exists, so nothing is replaced.
    private func link(
        _ file: borrowing FileDescriptor,
        as name: FileName
    ) throws(FileError) -> String {
        let final = try firstFree(name) { (candidate) throws(FileError) in
            try FileError.of("link", directory.path(of: candidate)) {
                linkat(AT_FDCWD, source, directory.descriptor, candidate, 0)
            }
        }
        if isSameFile(file.rawValue, as: final) { return final }
        // Something was put in the place of the file that was checked.
        unlinkat(directory.descriptor, final, 0)
        throw FileError(call: "link", path: source, errno: ESTALE)
    }

    private func isSameFile(_ number: Int32, as name: String) -> Bool {
        var own = stat()
        var other = stat()
        return fstat(number, &own) == 0
            && fstatat(directory.descriptor, name, &other, AT_SYMLINK_NOFOLLOW) == 0
            && own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    /// Calls `body` with one name after the other until one is not taken.
    ///
    /// - Parameters:
    ///   - name: The wanted name.
    ///   - body: Takes the name; fails with `EEXIST` if it is taken.
    /// - Returns: The name.
    /// - Throws: What `body` throws otherwise.
    func firstFree(
        _ name: FileName,
        _ body: (String) throws(FileError) -> Void
    ) throws(FileError) -> String {
        var number = 0
        while true {
            let candidate = name.numbered(number, names)
            do {
                try body(candidate)
                return candidate
            } catch let error where error.errno == EEXIST {
                number += 1
            }
        }
    }

    // MARK: - A copy

    private func copy(
        _ file: borrowing FileDescriptor,
        _ status: stat,
        as name: FileName
    ) throws(FileError) -> String {
        try requireRoom(for: Int64(status.st_size))
        return try PlacementCopy(self, source: source).make(of: file, status, as: name)
    }

    /// Refuses a copy for which there is no room before its bytes are written: that is tried again.
    private func requireRoom(for byteCount: Int64) throws(FileError) {
        // A file system that does not know, as some of programs, says that it has no blocks at all.
        var disk = statvfs()
        guard fstatvfs(directory.descriptor, &disk) == 0, disk.f_blocks > 0,
            let available = try? directory.availableByteCount(), available < byteCount
        else { return }
        throw FileError(call: "statvfs", path: directory.path, errno: ENOSPC)
    }
}

extension Placement {
    /// Moves a file, as with a directory that is open.
    ///
    /// - Parameters:
    ///   - source: The path of the file.
    ///   - path: The directory to move it to; created when it is missing.
    ///   - name: The wanted name.
    ///   - permissions: The file's permissions there.
    /// - Returns: The file's new path, and its size in bytes.
    /// - Throws: ``FileError`` when the file could not be moved; it then stays where it was.
    static func move(
        _ source: String,
        to path: String,
        as name: FileName,
        permissions: mode_t
    ) throws(FileError) -> (path: String, byteCount: Int64) {
        try? FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
        let directory: Directory
        do throws(SystemCallError) {
            directory = try Directory(opening: path)
        } catch {
            throw FileError(error)
        }
        return try move(source, to: directory, as: name, Attributes(permissions: permissions))
    }
}

/// The label of a file or directory by which a security module decides (xattr(7)).
struct SecurityLabel: Hashable, Sendable {
    /// The type in the context of SELinux.
    private var type: Substring?
    /// The label of Smack.
    private var smack: String?
    /// Whether files that are created in the directory get its label of Smack.
    private var isHandedDown = false

    /// The label of a directory.
    init(of directory: Directory) {
        self.init { directory.attribute($0) }
        isHandedDown = directory.attribute("security.SMACK64TRANSMUTE") != nil
    }

    /// The label of a file.
    init(of file: borrowing FileDescriptor) {
        type = (try? file.attribute("security.selinux")).flatMap { $0 }.flatMap(Self.type)
        smack = (try? file.attribute("security.SMACK64")).flatMap { $0 }.map(Self.text)
    }

    private init(_ attribute: (String) -> [UInt8]?) {
        type = attribute("security.selinux").flatMap(Self.type)
        smack = attribute("security.SMACK64").map(Self.text)
    }

    /// Whether a file that is linked into this directory has the label that one created there would get.
    ///
    /// With SELinux a new file has the type of its directory, unless the policy says otherwise; with Smack it has the
    /// label of the process, unless the directory hands down its own.
    func isKept(_ file: SecurityLabel) -> Bool {
        type == file.type && (!isHandedDown || smack == file.smack)
    }

    private static func text(_ value: [UInt8]) -> String {
        String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The third part of a context such as `unconfined_u:object_r:user_home_t:s0`.
    private static func type(_ value: [UInt8]) -> Substring? {
        let parts = text(value).split(separator: ":", omittingEmptySubsequences: false)
        return parts.count > 2 ? parts[2] : nil
    }
}
