/// A server that resets the first POST that it gets over HTTP/2, and answers all else.
package final class ResettingServer: Sendable {
    /// The code of a reset (RFC 9113 §7).
    package enum Code: Int, Sendable {
        case internalError = 2
        case refusedStream = 7
        case http11Required = 13
    }

    /// The port it listens on.
    package let port: UInt16
    private let server: LoggedServer
    private let log: EventPipe

    /// Starts it; it listens when this returns.
    ///
    /// - Parameters:
    ///   - home: The test's home, which holds its log.
    ///   - authority: Who has signed its certificate.
    ///   - code: Why it resets the POST.
    ///   - endsConnection: Whether it ends the connection with the same segment.
    /// - Throws: ``TestServerError`` with what it said.
    package init(
        in home: TestHome,
        authority: TestAuthority,
        code: Code,
        endsConnection: Bool
    ) async throws {
        let certificate = authority.server
        log = try await EventPipe(in: home, named: "resetting-log")
        server = try await LoggedServer(
            TestPython.interpreter,
            [
                TestPython.file("Servers/ResettingServer/resetting_server.py"), certificate.file,
                certificate.keyFile, String(code.rawValue), endsConnection ? "ends" : "stays",
            ],
            in: home,
            log: log,
            isReady: { $0.hasPrefix("listening ") }
        )
        let number = log.lines.first?.split(separator: " ").last.flatMap { UInt16($0) }
        guard let number else {
            throw TestServerError(
                program: "resetting_server.py",
                output: log.lines.joined(separator: "\n")
            )
        }
        port = number
    }

    /// The requests that have arrived as a whole: each its protocol and its method.
    package var requests: [String] { Array(log.lines.dropFirst()) }
}
