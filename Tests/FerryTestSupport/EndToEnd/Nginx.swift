import FerrySystem
package import FoundationEssentials
import Glibc

/// A real nginx on loopback that serves a directory.
package final class Nginx: Sendable {
    /// The directory it serves.
    package let root: String
    /// The port it listens on.
    package let port: Int
    /// The file of the authority that has signed its certificate, if it is spoken to by TLS.
    package var authorityFile: String { "\(directory)/tls/ca.pem" }
    private let isSecure: Bool
    private let directory: String
    private let process: TestProcess

    /// Starts it.
    ///
    /// - Parameters:
    ///   - home: The test's home, which holds its files.
    ///   - rate: How many bytes a second one connection gets; `nil` for no limit.
    ///   - isSecure: Whether it is spoken to by TLS, and by HTTP/2 if the client wants that.
    ///   - lines: What else its `server` block says.
    /// - Throws: ``NginxError`` with what nginx said.
    package init(
        in home: TestHome,
        bytesPerSecond rate: Int? = nil,
        isSecure: Bool = false,
        lines: String = ""
    ) async throws {
        self.isSecure = isSecure
        directory = "\(home.path)/nginx"
        root = "\(directory)/www"
        _ = try Directory(opening: root, creatingPrivate: true)
        // Its workers give up their rights when the tests run as root.
        chmod(home.path, 0o755)
        chmod(directory, 0o755)
        chmod(root, 0o755)
        if isSecure { try await Self.makeCertificates(in: "\(directory)/tls") }
        let limit = rate.map { "limit_rate \($0);" } ?? ""
        let server = "root \(root); \(limit) \(isSecure ? Self.tlsLines(directory) : "") \(lines)"
        var attempt = 0
        while true {
            let port = try Self.freePort()
            let listen = "listen 127.0.0.1:\(port)\(isSecure ? " ssl http2" : "");"
            if let process = try await Self.start(directory, listen + server, port, home) {
                self.port = port
                self.process = process
                return
            }
            attempt += 1
            guard attempt < 5 else { throw NginxError(directory: directory) }
        }
    }

    /// Ends it.
    package func stop() async { await process.killed() }

    /// The address of a file.
    package func url(_ name: String) -> String {
        "\(isSecure ? "https" : "http")://127.0.0.1:\(port)/\(name)"
    }

    /// Makes a client's identity, signed by the authority of its own certificate.
    package func makeIdentity(_ name: String) async throws -> TLSIdentity {
        try await TLSIdentity.make(name, in: URL(filePath: "\(directory)/tls"))
    }

    @concurrent
    private static func makeCertificates(in folder: String) async throws {
        _ = try Directory(opening: folder, creatingPrivate: true)
        try TLSServer.makeCertificates(.good, in: URL(filePath: folder))
    }

    private static func tlsLines(_ directory: String) -> String {
        "ssl_certificate \(directory)/tls/leaf.pem; ssl_certificate_key \(directory)/tls/leaf.key;"
    }

    /// Makes a file of bytes that follow from a seed, and returns them.
    @discardableResult
    package func addFile(_ name: String, byteCount: Int, seed: UInt64 = 1) throws -> Data {
        let data = Data(FixtureContent.seeded(seed, byteCount: Int64(byteCount)).bytes)
        try data.write(to: URL(filePath: "\(root)/\(name)"))
        chmod("\(root)/\(name)", 0o644)
        return data
    }

    /// The requests so far: status, range asked for, bytes of the body sent.
    package func requests() -> [(path: String, status: Int, range: String?, byteCount: Int)] {
        let text = (try? String(contentsOfFile: "\(directory)/access.log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 4, let status = Int(parts[1]), let count = Int(parts[3]) else {
                return nil
            }
            return (String(parts[0]), status, parts[2] == "-" ? nil : String(parts[2]), count)
        }
    }

    private static func start(
        _ directory: String,
        _ server: String,
        _ port: Int,
        _ home: TestHome
    ) async throws -> TestProcess? {
        let configuration = """
            daemon off; master_process off; pid \(directory)/pid; error_log \(directory)/error.log;
            events {}
            http {
                log_format ferry "$uri $status $http_range $body_bytes_sent";
                access_log \(directory)/access.log ferry;
                client_body_temp_path \(directory)/body; proxy_temp_path \(directory)/proxy;
                fastcgi_temp_path \(directory)/fastcgi; uwsgi_temp_path \(directory)/uwsgi;
                scgi_temp_path \(directory)/scgi;
                server { \(server) }
            }
            """
        let path = "\(directory)/nginx.conf"
        try Data(configuration.utf8).write(to: URL(filePath: path))
        let process = try await TestProcess(
            "/usr/sbin/nginx",
            ["-c", path],
            environment: home.environment
        )
        if await isListening(port, process) { return process }
        await process.killed()
        return nil
    }

    /// Waits until the port answers, or the process has given it up.
    private static func isListening(_ port: Int, _ process: TestProcess) async -> Bool {
        for _ in 0..<500 {
            if connects(port) { return true }
            // nginx in the foreground has no event for "I listen"; the port is the only sign.
            if kill(process.identifier, 0) != 0 { return false }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    private static func connects(_ port: Int) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var address = loopback(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func freePort() throws -> Int {
        let socket = try systemCall("socket") {
            Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        defer { close(socket) }
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                try systemCall("bind") { bind(socket, generic, length) }
                try systemCall("getsockname") { getsockname(socket, generic, &length) }
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// nginx could not be started.
package struct NginxError: Error, CustomStringConvertible {
    let directory: String

    /// What nginx said.
    package var description: String {
        let log = try? String(contentsOfFile: "\(directory)/error.log", encoding: .utf8)
        return "nginx did not start (is it installed? run scripts/set-up): \(log ?? "no log")"
    }
}
