import FerrySystem
import FoundationEssentials

/// httpbin on loopback, the server that others test their HTTP clients against.
///
///     let url = try await HTTPBin.shared.url("/redirect/3")
///
/// Its places: `/anything` and `/post` tell in JSON what has come; `/status/CODE`, `/redirect/COUNT`,
/// `/redirect-to?url=URL&status_code=CODE`, `/basic-auth/USER/PASSWORD`,
/// `/digest-auth/auth/USER/PASSWORD/ALGORITHM`, `/bearer`, `/cookies`, `/cookies/set?NAME=VALUE`,
/// `/delay/SECONDS`, `/drip`, `/stream/LINES`, `/bytes/COUNT`, `/range/COUNT`, `/gzip`, `/deflate`,
/// `/brotli`, `/etag/ETAG`, `/cache/SECONDS`, `/response-headers?NAME=VALUE`.
package final class HTTPBin: Sendable {
    /// The one that all tests of a process share: it keeps nothing from one request to the next.
    package static var shared: HTTPBin { get async throws { try await started.value } }

    private static let started = Task { try await HTTPBin() }

    /// The start of every URL here: `http://127.0.0.1:12345`.
    package let origin: String
    private let process: TestProcess

    /// The URL of a path, which starts with a slash.
    package func url(_ path: String) -> String { origin + path }

    /// The process.
    package var processIdentifier: Int32 { process.identifier }

    /// Starts a server, which ends with the tests' process.
    private init() async throws {
        let output = try TemporaryOutput()
        let port: Int
        (process, port) = try await Self.start(output)
        origin = "http://127.0.0.1:\(port)"
        // Requests wait until the server reads them, or get no answer when it could not start.
        guard await ReservedPort.answers(port, path: "/status/204") else {
            throw TestServerError(program: "httpbin", output: output.text())
        }
    }

    private static func start(
        _ output: TemporaryOutput
    ) async throws -> (process: TestProcess, port: Int) {
        let port = try ReservedPort()
        try port.listen()
        let settings = TestPython.file("Servers/HTTPBin/gunicorn_settings.py")
        let process = try await TestProcess(
            TestPython.interpreter,
            ["-m", "gunicorn", "--config", settings, "httpbin:app"],
            // What Python compiles is not to lie among the sources.
            environment: [
                "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
            ],
            error: output.descriptor,
            others: [3: port.descriptor],
            endsWithTests: true
        )
        // From here on the socket is the server's alone, and closes when that ends.
        return withExtendedLifetime(port) { (process, port.number) }
    }
}
