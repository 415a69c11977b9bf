import FerrySystem
import FerryTestSupport
import Foundation
@preconcurrency import Glibc
import Testing

@testable import FerryCommand

/// A saved file beside one that another program creates in the same directory.
@Suite(.timeLimit(.minutes(2))) struct PlacementAttributeTests {
    /// What a directory has that a file created in it gets.
    enum Inheritance: String, CaseIterable, Sendable {
        case nothing, group, list, groupAndList, label
    }

    private let temporary: TemporaryDirectory
    private let target: Directory

    init() throws {
        temporary = try TemporaryDirectory()
        target = try temporary.directory.openSubdirectory("out")
    }

    /// Gives the target directory what it hands down; false if this machine does not allow that.
    private func prepare(_ inheritance: Inheritance) throws -> Bool {
        let path = target.path
        if [.group, .groupAndList].contains(inheritance) {
            guard chown(path, uid_t.max, 4242) == 0, chmod(path, 0o2775) == 0 else { return false }
        }
        let copy = FileDescriptor(owning: dup(target.descriptor))
        if [.list, .groupAndList].contains(inheritance) {
            guard (try? copy.setAttribute(Placement.defaultList, Self.list)) != nil else {
                return false
            }
        }
        if inheritance == .label {
            let label = Array("system_u:object_r:other_t:s0\0".utf8)
            guard (try? copy.setAttribute("security.selinux", label)) != nil else { return false }
        }
        return true
    }

    /// user::rw- user:1:rwx group::rwx mask::rwx other::---, in the kernel's form.
    private static let list: [UInt8] = {
        let entries: [(UInt16, UInt16, UInt32)] = [
            (0x01, 6, .max), (0x02, 7, 1), (0x04, 7, .max), (0x10, 7, .max), (0x20, 0, .max),
        ]
        var bytes: [UInt8] = [2, 0, 0, 0]
        for (tag, rights, id) in entries {
            withUnsafeBytes(of: tag.littleEndian) { bytes += $0 }
            withUnsafeBytes(of: rights.littleEndian) { bytes += $0 }
            withUnsafeBytes(of: id.littleEndian) { bytes += $0 }
        }
        return bytes
    }()

    private struct Look: Hashable {
        var owner: uid_t
        var group: gid_t
        var permissions: mode_t
        var list: [UInt8]?
    }

    private func look(_ name: String) throws -> Look {
        let file = try target.open(name, .read)
        var status = stat()
        #expect(fstat(file.rawValue, &status) == 0)
        let list = try file.attribute("system.posix_acl_access")
        return Look(
            owner: status.st_uid,
            group: status.st_gid,
            permissions: status.st_mode & 0o7777,
            list: list
        )
    }

    @Test(arguments: Inheritance.allCases, [0o022, 0o077, 0o007] as [mode_t])
    func `PLACE-3: a saved file has what one has that another program creates there`(
        inheritance: Inheritance,
        mask: mode_t
    ) throws {
        guard try prepare(inheritance) else { return }
        for usesUnnamedFiles in [true, false] {
            let source = try temporary.write("body", to: "source")
            #expect(chmod(source, 0o600) == 0)
            // As open(2) does it: a default list stands in for the mask.
            let hasList = target.attribute(Placement.defaultList) != nil
            let permissions = hasList ? 0o666 : 0o666 & ~mask
            let other = openat(target.descriptor, "other", O_CREAT | O_WRONLY, permissions)
            #expect(other >= 0)
            if !hasList { #expect(fchmod(other, permissions) == 0) }
            close(other)
            let (path, byteCount) = try Placement.move(
                source,
                to: target,
                as: FileName(chosen: "file"),
                .init(permissions: 0o666 & ~mask),
                usesUnnamedFiles: usesUnnamedFiles
            )
            #expect(path == target.path + "/file")
            #expect(byteCount == 4)
            #expect(try look("file") == look("other"))
            #expect(try target.names().sorted() == ["file", "other"])
            #expect(try temporary.names == ["out"])
            try target.remove("file")
            try target.remove("other")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "sets a label"))
    func
        `PLACE-3: a file is created anew where a directory has another label, and linked elsewhere`()
        throws
    {
        func isLinked() throws -> Bool {
            let source = try temporary.write("body", to: "source")
            let inode = try #require(try temporary.directory.status(of: "source")).inode
            _ = try Placement.move(
                source,
                to: target,
                as: FileName(chosen: "file"),
                .init(permissions: 0o644)
            )
            defer { try? target.remove("file") }
            return try #require(try target.status(of: "file")).inode == inode
        }
        #expect(try isLinked())
        guard try prepare(.label) else { return }
        #expect(try !isLinked())
    }

    @Test(.enabled(if: geteuid() == 0, "gives a file away"))
    func `PLACE-3: the group is that of the command that asked for the file`() throws {
        let source = try temporary.write("body", to: "source")
        _ = try Placement.move(
            source,
            to: target,
            as: FileName(chosen: "file"),
            .init(permissions: 0o640, group: 4243)
        )
        #expect(try look("file").group == 4243)
    }

    @Test func `a copy that a process has made before it died is not made again`() throws {
        let source = try temporary.write("body", to: "source")
        _ = try temporary.write("body", to: "out/file")
        let status = try #require(try target.status(of: "file"))
        let file = try temporary.directory.open("source", .read)
        let text = "\(status.device) \(status.inode) 4"
        guard (try? file.setAttribute(Placement.copyAttribute, Array(text.utf8))) != nil else {
            return
        }
        let (path, _) = try Placement.move(
            source,
            to: target,
            as: FileName(chosen: "file"),
            .init(permissions: 0o640)
        )
        #expect(path == target.path + "/file")
        #expect(try target.names() == ["file"])
        #expect(try temporary.names == ["out"])
    }
}

#if DEBUG
/// What a power cut leaves depends on the order in which files and directories are forced onto the disk.
@Suite(.serialized, .timeLimit(.minutes(1))) @LoopActor struct PlacementOrderTests {
    private let temporary: TemporaryDirectory
    private let target: Directory

    init() throws {
        temporary = try TemporaryDirectory()
        target = try temporary.directory.openSubdirectory("out")
    }

    private func calls(to target: Directory, usesUnnamedFiles: Bool = true) async throws -> [String]
    {
        let source = try temporary.write("body", to: "source")
        let record = SystemCallRecord(of: ["link", "linkat", "rename", "fsync", "unlink"], in: "")
        let calls = await record.during {
            _ = try? Placement.move(
                source,
                to: target,
                as: FileName(chosen: "file"),
                .init(permissions: 0o640),
                usesUnnamedFiles: usesUnnamedFiles
            )
        }
        // Other tests make calls meanwhile.
        return calls.filter { $0.contains(temporary.path) || $0.contains(target.path) }
            .map { $0.replacing(target.path, with: "OUT").replacing(temporary.path, with: "") }
    }

    @Test func `TEST-20: a linked file's directory is forced onto the disk before the source goes`()
        async throws
    {
        #expect(try await calls(to: target) == ["link OUT/file", "fsync OUT", "unlink /source"])
    }

    @Test(.enabled(if: SmallDisk.canBeMade))
    func `TEST-20: a copy and its directory are forced onto the disk before the source goes`()
        async throws
    {
        let disk = try SmallDisk(byteCount: 1 << 20)
        #expect(
            try await calls(to: disk.directory)
                == ["fsync OUT", "linkat OUT/file", "fsync OUT", "unlink /source"]
        )
    }

    @Test(.enabled(if: SmallDisk.canBeMade))
    func `TEST-20: a copy that has to be renamed is forced onto the disk before`() async throws {
        let disk = try SmallDisk(byteCount: 1 << 20)
        #expect(
            try await calls(to: disk.directory, usesUnnamedFiles: false) == [
                "fsync OUT/.ferry-source", "rename OUT/file", "fsync OUT", "unlink /source",
            ]
        )
    }
}
#endif
