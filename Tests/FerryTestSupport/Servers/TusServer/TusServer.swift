import FerrySystem
import FoundationEssentials

/// tuspyserver on loopback, a server of tus 1.0 that others wrote.
///
/// It makes resources at `/files/`, and keeps what has come to one in a file by the resource's name.
package final class TusServer: Sendable {
    /// The port.
    package let port: UInt16
    private let process: TestProcess
    private let directory: TemporaryDirectory

    /// Starts a server, which ends with the tests' process.
    package init() async throws {
        let output = try TemporaryOutput()
        directory = try TemporaryDirectory()
        let port = try ReservedPort()
        try port.listen()
        process = try await TestProcess(
            TestPython.interpreter,
            [TestPython.file("Servers/TusServer/tus_server.py"), directory.path],
            // What Python compiles is not to lie among the sources.
            environment: [
                "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
            ],
            error: output.descriptor,
            others: [3: port.descriptor],
            endsWithTests: true
        )
        self.port = UInt16(port.number)
        guard await ReservedPort.answers(port.number, path: "/") else {
            throw TestServerError(program: "tuspyserver", output: output.text())
        }
        withExtendedLifetime(port) {}
    }

    /// The URL at which uploads are made.
    package var url: String { "http://127.0.0.1:\(port)/files/" }

    /// The names of the resources.
    package var resources: [String] {
        let names = (try? directory.directory.names()) ?? []
        return names.filter { !$0.contains(".") }
    }

    /// What has come to a resource.
    package func contents(of resource: String) throws -> [UInt8] {
        try directory.contents(of: resource)
    }
}
