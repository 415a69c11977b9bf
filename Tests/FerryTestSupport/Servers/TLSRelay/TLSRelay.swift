/// TLS before a server that speaks none, such as a ``FixtureServer``.
package final class TLSRelay: Sendable {
    /// How the client's connection ends when the server has closed its own.
    package enum End: String, Sendable {
        /// With TLS's own word for the end (close_notify, RFC 8446 §6.1).
        case notified
        /// Without it, as somebody on the way could do.
        case cut
    }

    /// The newest version of TLS that it speaks.
    package enum Version: String, Sendable, CaseIterable {
        case tls12 = "TLSv1_2"
        case tls13 = "TLSv1_3"
    }

    /// The port it listens on.
    package let port: UInt16
    private let server: LoggedServer

    /// Starts it; it listens when this returns.
    ///
    /// - Parameters:
    ///   - home: The test's home, which holds its log.
    ///   - authority: Who has signed its certificate.
    ///   - far: The server's port on loopback.
    ///   - version: The newest version of TLS that it speaks.
    ///   - end: How connections end.
    /// - Throws: ``TestServerError`` with what it said.
    package init(
        in home: TestHome,
        authority: TestAuthority,
        to far: UInt16,
        version: Version = .tls13,
        end: End = .notified
    ) async throws {
        let certificate = authority.server
        (server, port) = try await LoggedServer.listening(
            "Servers/TLSRelay/tls_relay.py",
            [certificate.file, certificate.keyFile, String(far), version.rawValue, end.rawValue],
            in: home,
            logNamed: "relay-log"
        )
    }

    /// The URL of a path, which starts with a slash.
    package func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }
}
