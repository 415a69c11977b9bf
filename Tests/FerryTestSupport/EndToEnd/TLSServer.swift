import Foundation

/// A TLS server of openssl's on loopback, with certificates made for the occasion.
package final class TLSServer {
    /// What is wrong with the server's certificate.
    package enum Certificate {
        case good
        case expired
        case forAnotherHost
        /// The host is in the subject's common name alone.
        case namedBySubject
        /// The host is in the subject's common name, and the subjectAltName has no name of a host.
        case namedBySubjectAndMail
    }

    /// Where the program is, if it is installed.
    package static let program = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The file of the authority that has signed the certificate.
    package let authorityFile: String
    /// The URL of a page.
    package let url: String

    private let folder: URL
    private let process: Process

    /// Makes the certificates and starts the server, which is listening when this returns.
    ///
    /// - Parameters:
    ///   - certificate: What is wrong with its certificate.
    ///   - options: Further options of `openssl s_server`.
    /// - Returns: The server.
    /// - Throws: `CocoaError` when openssl does not do it.
    @concurrent
    package static func start(
        _ certificate: Certificate,
        options: String = ""
    ) async throws -> sending TLSServer {
        try TLSServer(certificate, "-www \(options)", path: "")
    }

    /// Makes a client's identity, signed by the same authority.
    package func makeIdentity(_ name: String) async throws -> TLSIdentity {
        try await TLSIdentity.make(name, in: folder, signedBy: "ca")
    }

    /// Makes the certificates and starts a server whose page is a redirect.
    @concurrent
    package static func start(
        _ certificate: Certificate,
        redirectingTo location: String
    ) async throws -> sending TLSServer {
        // With -HTTP it serves files that hold whole responses.
        let response = "HTTP/1.0 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
        return try TLSServer(certificate, "-HTTP", path: "redirect", response)
    }

    private init(
        _ certificate: Certificate,
        _ mode: String,
        path: String,
        _ response: String? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("ferry-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        authorityFile = folder.appendingPathComponent("ca.pem").path
        try Self.makeCertificates(certificate, in: folder)
        try response?.write(
            to: folder.appendingPathComponent(path),
            atomically: true,
            encoding: .utf8
        )
        let output = Pipe()
        process = try Self.run(
            "s_server -accept 127.0.0.1:0 \(mode) -cert leaf.pem -key leaf.key",
            in: folder,
            output: output
        )
        var text = ""
        while !text.contains(try Regex("ACCEPT .*:[0-9]+\n")) {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
            text += String(decoding: data, as: UTF8.self)
        }
        let port = text.split(separator: "ACCEPT ").last?.split(separator: "\n").first?
            .split(separator: ":").last
        url = "https://127.0.0.1:\(port ?? "")/\(path)"
    }

    deinit {
        // The process has inherited the signals that the tests' threads block; this one cannot be.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    static func makeCertificates(_ certificate: Certificate, in folder: URL) throws {
        let (subject, extensions) =
            switch certificate {
            case .good, .expired: ("Leaf", "subjectAltName=IP:127.0.0.1")
            case .forAnotherHost: ("Leaf", "subjectAltName=DNS:elsewhere.invalid")
            case .namedBySubject: ("127.0.0.1", "basicConstraints=CA:false")
            case .namedBySubjectAndMail: ("127.0.0.1", "subjectAltName=email:a@b.invalid")
            }
        try "\(extensions)\n".write(
            to: folder.appendingPathComponent("extensions"),
            atomically: true,
            encoding: .utf8
        )
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        let days = certificate == .expired ? -1 : 2
        for arguments in [
            "req -x509 \(key) -keyout ca.key -out ca.pem -days 2 -subj /CN=Authority",
            "req -new \(key) -keyout leaf.key -out leaf.csr -subj /CN=\(subject)",
            "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days)"
                + " -extfile extensions -out leaf.pem",
        ] {
            let process = try run(arguments, in: folder)
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        }
    }

    static func run(
        _ arguments: String,
        in folder: URL,
        output: Pipe? = nil
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? "openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        if let output { process.standardOutput = output }
        try process.run()
        return process
    }
}

/// A client's certificate and key, signed by a test's authority.
package struct TLSIdentity: Sendable {
    /// Both in PEM form, the key under a passphrase.
    package let pem: [UInt8]
    /// Both in PKCS #12 form, under the same passphrase.
    package let pkcs12: [UInt8]
    /// The passphrase.
    package let passphrase = "open, Sesame"

    /// Makes an identity.
    ///
    /// - Parameters:
    ///   - name: Whose it is.
    ///   - folder: Where the authority's files are.
    ///   - authority: The name of these files, without their endings.
    /// - Returns: The identity.
    /// - Throws: `CocoaError` when openssl does not make it.
    @concurrent
    static func make(
        _ name: String,
        in folder: URL,
        signedBy authority: String
    ) async throws -> TLSIdentity {
        try TLSIdentity(name, in: folder, signedBy: authority)
    }

    private init(_ name: String, in folder: URL, signedBy authority: String) throws {
        // One line each for what is read and for what is written.
        try "\(passphrase)\n\(passphrase)\n".write(
            to: folder.appendingPathComponent("passphrase"),
            atomically: true,
            encoding: .utf8
        )
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256"
        for arguments in [
            "req -new \(key) -keyout \(name).key -out \(name).csr -subj /CN=\(name)"
                + " -passout file:passphrase",
            "x509 -req -in \(name).csr -CA \(authority).pem -CAkey \(authority).key -CAcreateserial -days 2"
                + " -out \(name).pem",
            "pkcs12 -export -in \(name).pem -inkey \(name).key -out \(name).p12"
                + " -passin file:passphrase -passout file:passphrase",
        ] {
            let process = try TLSServer.run(arguments, in: folder)
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        }
        func bytes(_ file: String) throws -> [UInt8] {
            try Array(Data(contentsOf: folder.appendingPathComponent(file)))
        }
        pem = try bytes("\(name).pem") + bytes("\(name).key")
        pkcs12 = try bytes("\(name).p12")
    }
}
