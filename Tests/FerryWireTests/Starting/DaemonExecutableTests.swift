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
