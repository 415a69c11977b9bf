import FerrySystem
package import FoundationEssentials
import Glibc

/// A real nginx on loopback that serves a directory.
///
/// Every listener has these places, beside the files under their names:
///
/// | place | what is there |
/// |---|---|
/// | `echo` | what has come with the request; see ``Echo`` |
/// | `private/FILE` | the file, for ``user`` with ``password`` by Basic authentication |
/// | `gzip/FILE` | the file, compressed for those who accept that |
/// | `close/FILE` | the file, and the end of the connection |
/// | `upload/FILE` | PUT stores a file, GET gets it, DELETE deletes it |
/// | `post` | answers when it has read the whole of a request's body |
/// | `moved` | a redirect to `echo`, by 303 |
/// | `silent` | the end of the connection in place of an answer |
///
/// Files have an ETag, a date and ranges. With `?rate=64k` an answer is sent no faster than that.
package final class Nginx: Sendable {
    /// What nginx listens for on a port of its own.
    package enum Listener: CaseIterable, Sendable {
        /// HTTP/1.1.
        case plain
        /// HTTP/2 or HTTP/1.1 by TLS.
        case secure
        /// As ``secure``, for clients with a certificate of the authority's; others get 400.
        case requiringCertificate
        /// As ``secure``, for clients with or without such a certificate.
        case acceptingCertificate
    }

    /// The directory it serves.
    package let root: String
    /// The user who may see what is private.
    package static let user = "alice"
    /// The user's password.
    package static let password = "open sesame"
    /// Who has signed its certificate.
    package let authority: TestAuthority?
    private let directory: String
    private let ports: [Listener: Int]
    private let server: LoggedServer

    /// Starts it; it listens when this returns.
    ///
    /// - Parameters:
    ///   - home: The test's home, which holds its files.
    ///   - authority: Who has signed its certificate, and those of its clients; without one it
    ///     listens on ``Listener/plain`` alone.
    ///   - rate: How many bytes a second one connection gets; `nil` for no limit.
    ///   - lines: What else is to be said about each listener.
    /// - Throws: ``TestServerError`` with what nginx said.
    package init(
        in home: TestHome,
        authority: TestAuthority? = nil,
        bytesPerSecond rate: Int? = nil,
        lines: String = ""
    ) async throws {
        self.authority = authority
        directory = "\(home.path)/nginx"
        root = "\(directory)/www"
        _ = try Directory(opening: "\(root)/upload", creatingPrivate: true)
        // Its workers give up their rights when the tests run as root.
        for path in [home.path, directory, root] { chmod(path, 0o755) }
        let log = try await EventPipe(in: home, named: "nginx-log")
        var reserved: [Listener: ReservedPort] = [:]
        for listener in Listener.allCases where authority != nil || listener == .plain {
            reserved[listener] = try ReservedPort()
        }
        ports = reserved.mapValues(\.number)
        let configuration = Configuration(
            directory: directory,
            root: root,
            log: log.path,
            ports: ports,
            authority: authority,
            bytesPerSecond: rate,
            lines: lines
        )
        server = try await LoggedServer(
            "/usr/sbin/nginx",
            ["-c", try configuration.write(), "-e", "stderr"],
            in: home,
            log: log,
            // What it says when it has opened its ports.
            isReady: { $0.contains("event method") }
        )
        withExtendedLifetime(reserved) {}
    }

    /// The process.
    package var processIdentifier: Int32 { server.processIdentifier }

    /// Ends it.
    package func stop() async { await server.stop() }

    /// The port it listens on.
    ///
    /// - Returns: 0 for one that needs an authority, when there is none.
    package func port(_ listener: Listener = .plain) -> Int { ports[listener] ?? 0 }

    /// The address of a file or of another place, which does not begin with a slash.
    package func url(_ name: String, by listener: Listener = .plain) -> String {
        "\(listener == .plain ? "http" : "https")://127.0.0.1:\(port(listener))/\(name)"
    }
}

// MARK: - Files

extension Nginx {
    /// Makes a file of bytes that follow from a seed, and returns them.
    @discardableResult
    package func addFile(_ name: String, byteCount: Int, seed: UInt64 = 1) throws -> Data {
        let data = Data(FixtureContent.seeded(seed, byteCount: Int64(byteCount)).bytes)
        try addFile(name, data)
        return data
    }

    /// Makes a file.
    package func addFile(_ name: String, _ data: Data) throws {
        try data.write(to: URL(filePath: "\(root)/\(name)"))
        chmod("\(root)/\(name)", 0o644)
    }

    /// What a client has uploaded to `upload/NAME`.
    package func uploadedFile(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(root)/upload/\(name)"))
    }
}

// MARK: - Requests

extension Nginx {
    /// The requests so far, in the order in which their answers were complete.
    package func requests() -> [Request] { server.log.lines.compactMap { Request($0) } }

    /// Waits until nginx has told of as many requests, and returns them.
    ///
    /// It tells of a request when the answer has left, which the client may know earlier. To be
    /// waited for by one at a time.
    package func requests(
        count: Int,
        where matches: (Request) -> Bool = { _ in true }
    ) async -> [Request] {
        while true {
            let found = requests().filter(matches)
            if found.count >= count { return found }
            _ = await server.log.next()
        }
    }
}

extension Nginx {
    /// The file of the authority that has signed its certificate; empty without one.
    package var authorityFile: String { authority?.file ?? "" }

    /// Makes a client's identity, signed by the authority of its own certificate.
    ///
    /// - Parameter name: Whose it is.
    /// - Returns: The identity.
    /// - Throws: ``TestAuthorityError`` when there is no authority.
    package func makeIdentity(_ name: String) async throws -> TLSIdentity {
        guard let authority else { throw TestAuthorityError(description: "There is no authority.") }
        let folder = URL(filePath: authority.file).deletingLastPathComponent()
        return try await TLSIdentity.make(name, in: folder, signedBy: "authority")
    }
}

extension Nginx {
    /// A request that nginx has answered, as its log tells it.
    package struct Request: Hashable, Sendable {
        /// The method.
        package let method: String
        /// The path, without what follows a question mark.
        package let path: String
        /// `HTTP/1.1` or `HTTP/2.0`.
        package let version: String
        /// The answer's status.
        package let status: Int
        /// The range that was asked for.
        package let range: String?
        /// How many bytes of the answer's body were sent.
        package let byteCount: Int
        /// The number of the connection, among all of this nginx's.
        package let connection: Int
        /// The user that has shown a password.
        package let user: String?

        static let format = [
            "request", "$request_method", "$uri", "$server_protocol", "$status", "$http_range",
            "$body_bytes_sent", "$connection", "$remote_user",
        ].joined(separator: #"\t"#)

        /// Reads a line of the log; `nil` for one that is about something else.
        init?(_ line: String) {
            let parts = line.split(separator: "\t").map(String.init)
            guard parts.count == 9, parts[0] == "request", let status = Int(parts[4]),
                let byteCount = Int(parts[6]), let connection = Int(parts[7])
            else { return nil }
            (method, path, version) = (parts[1], parts[2], parts[3])
            self.status = status
            range = parts[5] == "-" ? nil : parts[5]
            self.byteCount = byteCount
            self.connection = connection
            user = parts[8] == "-" ? nil : parts[8]
        }
    }
}
