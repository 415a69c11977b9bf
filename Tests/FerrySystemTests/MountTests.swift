import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

/// The mounted file systems, and what tells of their changes.
@Suite(.serialized, .timeLimit(.minutes(1))) struct MountTests {
    @Test(arguments: [
        (
            "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue",
            "36 /mnt2 ext3 /dev/root"
        ),
        ("36 35 98:0 / / rw - tmpfs tmpfs rw", "36 / tmpfs tmpfs"),
        (
            "7 1 0:5 / /a\\040b\\134c\\011d rw shared:1 master:2 - fuse.sshfs ana@host:/x\\040y rw",
            "7 /a b\\c\td fuse.sshfs ana@host:/x y"
        ),
        ("7 1 0:5 / /\\303\\274 rw - nfs4 host:/ rw", "7 /ü nfs4 host:/"), ("", nil),
        ("36 35", nil),
        ("x 35 98:0 / /a rw - ext3 /dev/root rw", nil),
        ("36 35 98:0 / /a rw ext3 /dev/root rw", nil),
    ])
    func `a line of mountinfo names a mount point, a type and a source`(
        line: String,
        mount: String?
    ) {
        let found = Mount(line: line[...]).map { "\($0.number) \($0.path) \($0.type) \($0.source)" }
        #expect(found == mount)
    }

    @Test(.enabled(if: SmallDisk.canBeMade))
    func `an open file tells through which mount it was opened`() throws {
        let disk = try SmallDisk(byteCount: 1 << 16)
        let own = try #require(Mount.of(disk.directory.descriptor, among: Mount.all()))
        #expect(own.path == disk.path)
        #expect(own.type == "tmpfs")
        let root = try Directory(opening: "/")
        #expect(Mount.of(root.descriptor, among: Mount.all())?.path == "/")
        #expect(Mount.of(-1, among: Mount.all()) == nil)
    }

    /// Whether a change ends the wait.
    private func isNoticed(_ path: String, _ change: () throws -> Void) async throws -> Bool {
        let changes = DiskChanges(about: path, ignoring: ".ferry-")
        try change()
        let queue = BlockingQueue(label: "test.changes")
        return await queue.run { changes.wait(atMost: .seconds(30)) }
    }

    @Test func `what may bring a missing directory or room back ends the wait`() throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path
        // Other tests mount something meanwhile: here only the directories count.
        func isNoticed(_ path: String, _ change: () throws -> Int32) throws -> Bool {
            let changes = DiskChanges(about: path, ignoring: ".ferry-")
            let result = try change()
            #expect(result == 0)
            return changes.takeChanges()
        }
        func write(_ name: String) throws -> Int32 {
            _ = try temporary.write("", to: name)
            return 0
        }
        _ = try write("file")
        #expect(try isNoticed(path) { unlink(path + "/file") })
        #expect(try isNoticed(path) { try write("file") })
        #expect(try isNoticed(path + "/a/b") { mkdir(path + "/a", 0o700) })
        #expect(try isNoticed(path + "/a/b/c") { mkdir(path + "/a/b", 0o700) })
        #expect(try isNoticed(path + "/a/b") { chmod(path + "/a/b", 0o500) })
        #expect(try isNoticed(path + "/a/b") { rename(path + "/a/b", path + "/a/c") })
        #expect(try !isNoticed(path + "/a/b") { rmdir(path + "/a/c") })
        #expect(try !isNoticed(path) { try write(".ferry-1") })
        #expect(try isNoticed(path) { rename(path + "/.ferry-1", path + "/shown") })
    }

    @Test(.enabled(if: SmallDisk.canBeMade))
    func `a mount, its remount and its end each end the wait`() async throws {
        var disk: SmallDisk?
        #expect(try await isNoticed("/nowhere/at/all") { disk = try SmallDisk(byteCount: 1 << 16) })
        #expect(try await isNoticed("/nowhere/at/all") { try disk?.setWritable(false) })
        #expect(try await isNoticed("/nowhere/at/all") { disk = nil })
    }

    @Test func `changes of no interest do not put the end of a wait off`() async throws {
        let temporary = try TemporaryDirectory()
        let changes = DiskChanges(about: temporary.path, ignoring: ".ferry-")
        let ends = Recorder<Bool>()
        let queue = BlockingQueue(label: "test.changes")
        queue.perform { ends.append(changes.wait(atMost: .milliseconds(200))) }
        // One after the other, for as long as the wait lasts, and not for ever.
        let limit = ContinuousClock.now + .seconds(10)
        while ends.elements.isEmpty, ContinuousClock.now < limit {
            try temporary.write("", to: ".ferry-1")
        }
        #expect(ends.elements.count == 1)
        await queue.run {}
    }

    @Test func `a wait is interrupted from another thread, also before it begins`() async throws {
        let changes = DiskChanges(about: "/nowhere/at/all")
        changes.interrupt()
        _ = await BlockingQueue(label: "test.changes").run { changes.wait(atMost: nil) }
    }
}
