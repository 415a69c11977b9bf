import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(1)), .enabled(if: SmallDisk.canBeMade, "needs a disk of its own"))
struct TargetDirectoryTests {
    private let home: TemporaryDirectory
    private let disk: SmallDisk

    init() throws {
        home = try TemporaryDirectory()
        disk = try SmallDisk(byteCount: 1 << 20)
    }

    private func open(_ path: String) async -> Result<String, TargetDirectory.Refusal> {
        let other = home.directory
        return await BlockingQueue(label: "test").run { () throws(Never) in
            Result { () throws(TargetDirectory.Refusal) in
                try TargetDirectory.open(path, apartFrom: other).path
            }
        }
    }

    private func make(_ name: String, _ mode: mode_t) throws -> String {
        let path = "\(disk.path)/\(name)"
        try systemCall("mkdir", path) { mkdir(path, 0o700) }
        try systemCall("chmod", path) { chmod(path, mode) }
        return path
    }

    @Test(arguments: [0o700, 0o755] as [mode_t])
    func `SEC-4: a file grows where nobody else can write`(mode: mode_t) async throws {
        let path = try make("own", mode)
        #expect(await open(path) == .success(path))
    }

    @Test(arguments: [0o777, 0o770, 0o702, 0o2775, 0o1777, 0o1770] as [mode_t])
    func `SEC-4: a file does not grow where others can write, whoever's directory it is`(
        mode: mode_t
    ) async throws {
        #expect(await open(try make("shared", mode)) == .failure(.isNotSafe))
    }

    @Test(.enabled(if: geteuid() == 0, "gives a directory away"))
    func `SEC-4: a file does not grow in another user's directory, nor below one`() async throws {
        let path = try make("theirs", 0o755)
        let below = try make("theirs/own", 0o700)
        try systemCall("chown", path) { chown(path, 1, 1) }
        #expect(await open(path) == .failure(.isNotSafe))
        #expect(await open(below) == .failure(.isNotSafe))
    }

    @Test func `SEC-4: a file does not grow below a directory that others can rename`() async throws
    {
        _ = try make("shared", 0o777)
        #expect(await open(try make("shared/own", 0o700)) == .failure(.isNotSafe))
        _ = try make("sticky", 0o1777)
        let path = try make("sticky/own", 0o700)
        #expect(await open(path) == .success(path))
    }

    @Test func `SEC-4: what a link leads to is known by its own path`() async throws {
        let path = try make("own", 0o700)
        try disk.directory.makeLink("link", to: path)
        #expect(await open("\(disk.path)/link") == .success(path))
        #expect(await open("\(disk.path)/link/../own/.") == .success(path))
    }
}

/// What is looked at again before a file goes on growing in its directory.
@Suite(.timeLimit(.minutes(1))) struct ReopenedTargetDirectoryTests {
    private let memory: TemporaryDirectory

    init() throws {
        // It is of this machine everywhere.
        memory = try TemporaryDirectory(in: "/dev/shm")
    }

    private func reopen(_ path: String) async -> Result<String, TargetDirectory.Refusal> {
        await BlockingQueue(label: "test").run { () throws(Never) in
            Result { () throws(TargetDirectory.Refusal) in try TargetDirectory.reopen(path).path }
        }
    }

    private func make(_ name: String) throws -> String {
        let path = "\(memory.path)/\(name)"
        try systemCall("mkdir", path) { mkdir(path, 0o700) }
        return path
    }

    private func setMode(_ mode: mode_t, of path: String) throws {
        try systemCall("chmod", path) { chmod(path, mode) }
    }

    @Test(arguments: [0o777, 0o770, 0o702, 0o2775, 0o1777, 0o1770] as [mode_t])
    func `SEC-4: a file does not go on growing where others can write by now`(
        mode: mode_t
    ) async throws {
        let path = try make("own")
        #expect(await reopen(path) == .success(path))
        try setMode(mode, of: path)
        #expect(await reopen(path) == .failure(.isNotSafe))
        try setMode(0o755, of: path)
        #expect(await reopen(path) == .success(path))
    }

    @Test func `SEC-4: a file does not go on growing below what others can rename by now`()
        async throws
    {
        let parent = try make("parent")
        let path = try make("parent/own")
        #expect(await reopen(path) == .success(path))
        try setMode(0o777, of: parent)
        #expect(await reopen(path) == .failure(.isNotSafe))
        try setMode(0o1777, of: parent)
        #expect(await reopen(path) == .success(path))
    }

    @Test func `SEC-4: a file does not go on growing where a link leads by now`() async throws {
        let path = try make("own")
        let other = try make("other")
        #expect(await reopen(path) == .success(path))
        try systemCall("rmdir", path) { rmdir(path) }
        try memory.directory.makeLink("own", to: other)
        #expect(await reopen(path) != .success(path))
    }

    @Test func `a file does not go on growing where nothing is any more`() async throws {
        let path = "\(memory.path)/gone"
        let call = SystemCallError(call: "open", errno: ENOENT, subject: path)
        #expect(await reopen(path) == .failure(.call(call)))
    }
}
