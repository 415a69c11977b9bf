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
        (server, port) = try await LoggedServer.listening(
            "Servers/ResettingServer/resetting_server.py",
            [
                certificate.file, certificate.keyFile, String(code.rawValue),
                endsConnection ? "ends" : "stays",
            ],
            in: home,
            logNamed: "resetting-log"
        )
    }

    /// The requests that have arrived as a whole: each its protocol and its method.
    package var requests: [String] { Array(server.log.lines.dropFirst()) }
}
