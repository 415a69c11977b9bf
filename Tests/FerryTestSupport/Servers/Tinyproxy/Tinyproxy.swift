import FerrySystem
import FoundationEssentials

/// A real proxy, tinyproxy, on loopback: it passes on requests for `http`, and makes tunnels.
package final class Tinyproxy: Sendable {
    /// A user and a password for Basic authentication.
    package struct Credentials: Hashable, Sendable {
        /// The user.
        package let user: String
        /// The password.
        package let password: String

        /// Makes them of letters and digits, as the proxy wants them.
        package init(user: String = "alice", password: String = "harbour") {
            self.user = user
            self.password = password
        }
    }

    /// The port it listens on.
    package let port: Int
    private let server: LoggedServer

    /// Starts it; it listens when this returns.
    ///
    /// - Parameters:
    ///   - home: The test's home, which holds its files.
    ///   - credentials: What it asks for with 407; `nil` when everybody may use it.
    /// - Throws: ``TestServerError`` with what it said.
    package init(in home: TestHome, asksFor credentials: Credentials? = nil) async throws {
        let reserved = try ReservedPort()
        port = reserved.number
        let path = "\(home.path)/tinyproxy.conf"
        let text = Self.configuration(port, credentials)
        try Data(text.utf8).write(to: URL(filePath: path))
        server = try await LoggedServer(
            "/usr/bin/tinyproxy",
            ["-d", "-c", path],
            in: home,
            log: try await EventPipe(in: home, named: "tinyproxy-log"),
            isReady: { $0.contains("Accepting connections") }
        )
        withExtendedLifetime(reserved) {}
    }

    /// The process.
    package var processIdentifier: Int32 { server.processIdentifier }

    /// Ends it.
    package func stop() async { await server.stop() }

    /// Its address, as `http_proxy` has it, with a user and a password if any are given.
    package func url(with credentials: Credentials? = nil) -> String {
        let user = credentials.map { "\($0.user):\($0.password)@" } ?? ""
        return "http://\(user)127.0.0.1:\(port)"
    }

    /// The first lines of the requests so far, such as `CONNECT example.org:443 HTTP/1.1`.
    ///
    /// A request that has been answered is among them, also one that was refused.
    package var requests: [String] {
        server.log.lines.compactMap { line in
            guard let range = line.firstRange(of: "Request (file descriptor ") else { return nil }
            let words = line[range.upperBound...].split(separator: ": ", maxSplits: 1)
            return words.count == 2 ? String(words[1]) : nil
        }
    }

    /// How many connections to servers it has made so far.
    package var connectionCount: Int {
        server.log.lines.count { $0.contains("Established connection to host") }
    }

    private static func configuration(_ port: Int, _ credentials: Credentials?) -> String {
        // Without a file for it, the log goes to standard output.
        let authentication = credentials.map { "BasicAuth \($0.user) \($0.password)\n" } ?? ""
        return """
            Port \(port)
            Listen 127.0.0.1
            Timeout 600
            MaxClients 100
            LogLevel Info
            \(authentication)
            """
    }
}
