/// A TLS server that speaks HTTP/2 alone, before a server that speaks it without TLS.
package final class HTTP2OnlyServer: Sendable {
    /// The port it listens on.
    package let port: UInt16
    private let server: LoggedServer

    /// Starts it; it listens when this returns.
    ///
    /// - Parameters:
    ///   - home: The test's home, which holds its log.
    ///   - authority: Who has signed its certificate.
    ///   - far: The Unix socket of the server behind it.
    /// - Throws: ``TestServerError`` with what it said.
    package init(in home: TestHome, authority: TestAuthority, to far: String) async throws {
        let certificate = authority.server
        (server, port) = try await LoggedServer.listening(
            "Servers/HTTP2Only/http2_only.py",
            [certificate.file, certificate.keyFile, far],
            in: home,
            logNamed: "http2-only-log"
        )
    }

    /// The URL of a path, which starts with a slash.
    package func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }
}
