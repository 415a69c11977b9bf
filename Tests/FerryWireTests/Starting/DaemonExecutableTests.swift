import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(5))) struct DaemonExecutableTests {
    private let place: TemporaryDirectory

    init() throws {
        place = try TemporaryDirectory()
    }

    private func makeProgram(_ name: String, mode: mode_t = 0o700) throws -> String {
        _ = try place.directory.open(name, .create)
        chmod(place.directory.path(of: name), mode)
        return place.directory.path(of: name)
    }

    @Test func `the variable settles it`() throws {
        let program = try makeProgram("other")
        let environment = ["FERRY_DAEMON": program, "PATH": "/usr/bin"]
        #expect(try DaemonExecutable.find(environment: environment) == program)
    }

    @Test(arguments: ["missing", "", "plain"])
    func `a variable that names no program is an error, never another program`(name: String) throws
    {
        _ = try makeProgram("ferryd")
        _ = try makeProgram("plain", mode: 0o600)
        let path = name.isEmpty ? place.path : place.directory.path(of: name)
        #expect(throws: DaemonError.executableNotFound(searched: [path])) {
            try DaemonExecutable.find(environment: ["FERRY_DAEMON": path, "PATH": place.path])
        }
    }

    @Test func `USE-7: it is looked for where make install puts it`() {
        let candidates = DaemonExecutable.candidates(environment: ["HOME": "/home/jo"])
        #expect(candidates.contains("/home/jo/.local/bin/ferryd"))
    }

    // MARK: Other users

    private func find(_ program: String) throws -> String {
        try DaemonExecutable.find(environment: ["FERRY_DAEMON": program])
    }

    @Test(arguments: [0o702, 0o757, 0o777])
    func `SEC-5: a program that others can write is not run`(mode: Int) throws {
        let program = try makeProgram("ferryd", mode: mode_t(mode))
        let error = #expect(throws: DaemonError.self) { try find(program) }
        #expect(error == .unsafeExecutable(path: program))
        #expect(error?.description.contains("not be writable by others") == true)
    }

    @Test func `SEC-5: a program in a directory that others can write is not run`() throws {
        let program = try makeProgram("ferryd")
        chmod(place.path, 0o777)
        #expect(throws: DaemonError.unsafeExecutable(path: program)) { try find(program) }
        // As in /tmp: nobody else can put another one in its place.
        chmod(place.path, 0o1777)
        #expect(try find(program) == program)
    }

    @Test func `SEC-5: a link does not make it better`() throws {
        let program = try makeProgram("ferryd", mode: 0o707)
        let link = place.directory.path(of: "link")
        symlink(program, link)
        #expect(throws: DaemonError.unsafeExecutable(path: link)) { try find(link) }
        chmod(program, 0o700)
        #expect(try find(link) == link)
    }

    @Test func `SEC-5: nor is one to which a link leads that others can exchange`() throws {
        let program = try makeProgram("ferryd")
        let other = try TemporaryDirectory()
        let link = other.directory.path(of: "ferryd")
        symlink(program, link)
        #expect(try find(link) == link)
        chmod(other.path, 0o777)
        #expect(throws: DaemonError.unsafeExecutable(path: link)) { try find(link) }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `SEC-5: a program of another user's is not run, also in a directory like /tmp`() throws {
        let program = try makeProgram("ferryd", mode: 0o755)
        chmod(place.path, 0o1777)
        chown(program, 12345, 12345)
        #expect(throws: DaemonError.unsafeExecutable(path: program)) { try find(program) }
        chown(program, 0, 0)
        chmod(place.path, 0o755)
        chown(place.path, 12345, 12345)
        #expect(throws: DaemonError.unsafeExecutable(path: program)) { try find(program) }
    }

    @Test func `a program in the path is found, relative entries are not looked at`() throws {
        let program = try makeProgram("ferryd")
        let found = try DaemonExecutable.find(environment: ["PATH": ".::bin:\(place.path)"])
        // Where the package is built, ferryd may lie beside the tests, which comes first.
        let own = try #require(realpath("/proc/self/exe", nil))
        defer { free(own) }
        let directory = String(cString: own).split(separator: "/").dropLast()
        #expect(found == program || found == "/\(directory.joined(separator: "/"))/ferryd")
    }
}
