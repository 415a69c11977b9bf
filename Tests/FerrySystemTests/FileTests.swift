import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(5))) struct FileTests {
    private let temporary: TemporaryDirectory
    private var directory: Directory { temporary.directory }

    init() throws { temporary = try TemporaryDirectory() }

    @Test(arguments: ["..", ".", "", "a/b", "/etc/passwd", "a\0b"])
    func `a name that is not one component is refused`(name: String) {
        #expect(throws: SystemCallError.self) { _ = try directory.open(name, .create).rawValue }
    }

    @Test func `a link is not followed`() throws {
        symlink("/etc/passwd", directory.path(of: "link"))
        let error = #expect(throws: SystemCallError.self) {
            _ = try directory.open("link", .read).rawValue
        }
        #expect(error?.errno == ELOOP)
    }

    @Test func `new files are the user's alone`() throws {
        let file = try directory.open("file", .createNew)
        #expect(try file.status().permissions == 0o600)
        #expect(throws: SystemCallError.self) {
            _ = try directory.open("file", .createNew).rawValue
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a pipe is opened without a writer, if that is wanted`()
        throws
    {
        mkfifo(directory.path(of: "pipe"), 0o600)
        #expect(try !directory.open("pipe", .readWithoutWaiting).status().isRegularFile)
    }

    @Test func `a file that is touched has changed now, and a link's file has not`() throws {
        let path = directory.path(of: "file")
        _ = try directory.open("file", .createNew)
        symlink(path, directory.path(of: "link"))
        var old = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
        utimensat(AT_FDCWD, path, &old, 0)
        try directory.touch("link")
        #expect(try directory.status(of: "file")?.modificationTime == 1000)
        try directory.touch("file")
        #expect(try #require(try directory.status(of: "file")).modificationTime > 1000)
        let error = #expect(throws: SystemCallError.self) { try directory.touch("none") }
        #expect(error?.errno == ENOENT)
    }

    @Test func `a rename does not replace unless it is told to`() throws {
        for name in ["a", "b"] {
            let file = try directory.open(name, .create)
            try Array(name.utf8).withUnsafeBytes { try file.writeAll($0) }
        }
        let error = #expect(throws: SystemCallError.self) {
            try directory.rename("a", to: directory, as: "b")
        }
        #expect(error?.errno == EEXIST)
        try directory.rename("a", to: directory, as: "b", replacing: true)
        #expect(try directory.names() == ["b"])
        #expect(try directory.open("b", .read).readToEnd(limit: 10) == Array("a".utf8))
    }

    @Test func `a file is read that has as many bytes as the limit, and none with more`() throws {
        let file = try directory.open("a", .create)
        let bytes = [UInt8](repeating: 1, count: 10)
        try bytes.withUnsafeBytes { raw in try file.writeAll(raw) }
        #expect(try directory.open("a", .read).readToEnd(limit: 10) == bytes)
        #expect(throws: SystemCallError.self) {
            try directory.open("a", .read).readToEnd(limit: 9)
        }
    }

    @Test func `neither a file nor a directory is opened through a link`() throws {
        _ = try directory.openSubdirectory("real")
        _ = try directory.open("file", .createNew)
        #expect(symlink("real", directory.path + "/linked") == 0)
        #expect(symlink("file", directory.path + "/alias") == 0)
        for creating in [true, false] {
            #expect(throws: SystemCallError.self) {
                try directory.openSubdirectory("linked", creating: creating)
            }
        }
        for mode in [Directory.OpenMode.read, .readWrite, .create, .createNew, .append] {
            #expect(throws: SystemCallError.self) { _ = try directory.open("alias", mode) }
        }
        #expect(try directory.openSubdirectory("real", creating: false).names() == [])
    }

    @Test func `missing parents are created for the user alone`() throws {
        let path = directory.path + "/x/y/z"
        _ = try Directory(opening: path, creatingPrivate: true)
        var status = stat()
        #expect(stat(directory.path + "/x", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        #expect(throws: SystemCallError.self) { try Directory(opening: path + "/missing") }
    }

    @Test func `an extended attribute comes back, and is missing before`() throws {
        let file = try directory.open("attribute", .create)
        #expect(try file.attribute("user.ferry.test") == nil)
        try file.setAttribute("user.ferry.test", [1, 2, 3])
        #expect(try file.attribute("user.ferry.test") == [1, 2, 3])
        try file.setAttribute("user.ferry.test", [])
        #expect(try file.attribute("user.ferry.test") == [])
        #expect(try file.removeAttribute("user.ferry.test"))
        #expect(try !file.removeAttribute("user.ferry.test"))
        #expect(try file.attribute("user.ferry.test") == nil)
    }

    @Test func `a lock keeps a second holder out until it is released`() throws {
        let lock = try FileLock("lock", in: directory, waiting: false)
        let error = #expect(throws: SystemCallError.self) {
            try FileLock("lock", in: directory, waiting: false).release()
        }
        #expect(error?.errno == EWOULDBLOCK)
        lock.release()
        try FileLock("lock", in: directory, waiting: false).release()
    }

    @Test func `relative and empty variables are ignored`() {
        let directories = BaseDirectories(
            environment: [
                "HOME": "/h", "XDG_STATE_HOME": "relative", "XDG_CACHE_HOME": "",
                "XDG_DATA_HOME": "/d",
            ]
        )
        #expect(directories.stateHome == "/h/.local/state")
        #expect(directories.cacheHome == "/h/.cache")
        #expect(directories.dataHome == "/d")
        #expect(directories.runtimeDirectory == nil)
    }

    @Test func `a runtime directory that others can enter is not used`() throws {
        chmod(directory.path, 0o755)
        let environment = ["XDG_RUNTIME_DIR": directory.path]
        #expect(BaseDirectories(environment: environment).runtimeDirectory == nil)
        chmod(directory.path, 0o700)
        #expect(BaseDirectories(environment: environment).runtimeDirectory == directory.path)
    }
}
