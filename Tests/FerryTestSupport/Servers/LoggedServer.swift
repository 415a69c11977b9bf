import FerrySystem
import FoundationEssentials

/// A server that runs in the foreground and tells in its log what it does.
final class LoggedServer: Sendable {
    /// What it has written.
    let log: EventPipe
    private let process: TestProcess

    /// Starts a server, which ends with the tests' process.
    ///
    /// - Parameters:
    ///   - executable: The absolute path.
    ///   - arguments: The arguments after the program's name.
    ///   - home: The test's home.
    ///   - log: What its standard output and standard error become.
    ///   - isReady: Whether a line of its log says that it listens.
    /// - Throws: ``TestServerError`` when it ends before it says so.
    init(
        _ executable: String,
        _ arguments: [String],
        in home: TestHome,
        log: EventPipe,
        isReady: (String) -> Bool
    ) async throws {
        self.log = log
        let output = try log.writer()
        let error = try log.writer()
        process = try await TestProcess(
            executable,
            arguments,
            environment: home.environment,
            output: output.rawValue,
            error: error.rawValue,
            endsWithTests: true
        )
        _ = consume output
        _ = consume error
        let end = "\(executable) has ended"
        Task { [process] in
            _ = await process.ended()
            log.write(end)
        }
        guard await log.next(where: { isReady($0) || $0 == end }) != end else {
            throw TestServerError(
                program: executable,
                output: log.lines.joined(separator: "\n")
            )
        }
    }

    /// Starts a Python program of the tests that first prints `listening` and its port.
    ///
    /// - Parameters:
    ///   - script: The program's place below the tests' support.
    ///   - arguments: Its arguments.
    ///   - home: The test's home.
    ///   - name: The name of its log.
    /// - Returns: The server, and its port.
    /// - Throws: ``TestServerError`` with what it said.
    static func listening(
        _ script: String,
        _ arguments: [String],
        in home: TestHome,
        logNamed name: String
    ) async throws -> (server: LoggedServer, port: UInt16) {
        let server = try await LoggedServer(
            TestPython.interpreter,
            [TestPython.file(script)] + arguments,
            in: home,
            log: EventPipe(in: home, named: name),
            isReady: { $0.hasPrefix("listening ") }
        )
        let lines = server.log.lines
        let number = lines.first?.split(separator: " ").last.flatMap { UInt16($0) }
        guard let number else {
            throw TestServerError(program: script, output: lines.joined(separator: "\n"))
        }
        return (server, number)
    }

    /// The process.
    var processIdentifier: Int32 { process.identifier }

    /// Ends it.
    func stop() async { await process.killed() }
}

/// A server could not be started.
package struct TestServerError: Error, CustomStringConvertible {
    let program: String
    let output: String

    /// What the server said.
    package var description: String {
        "\(program) did not start (is it installed? run scripts/set-up): \(output)"
    }
}

/// The Python that has the packages of packaging/python-packages.
enum TestPython {
    /// `FERRY_TEST_PYTHON`, or what scripts/set-up makes.
    static var interpreter: String {
        if let path = ProcessEnvironment["FERRY_TEST_PYTHON"], !path.isEmpty { return path }
        return "\(root)/.build/venv/bin/python3"
    }

    /// The path of a file among the tests' sources.
    static func file(_ path: String) -> String { "\(root)/Tests/FerryTestSupport/\(path)" }

    private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }.path
}
