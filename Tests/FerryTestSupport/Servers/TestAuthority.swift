import FerrySystem
import FoundationEssentials

/// An authority of a test's own, with certificates for a server and for its clients.
///
/// Made by openssl in a test's home, where all files are PEM but for one.
package final class TestAuthority: Sendable {
    /// A certificate's file, and the file of its key.
    package struct Certificate: Hashable, Sendable {
        /// The certificate.
        package let file: String
        /// Its private key, without a password.
        package let keyFile: String
    }

    /// Its own certificate, for those who are to trust it.
    package let file: String
    /// A server's, for `127.0.0.1` and `localhost`.
    package let server: Certificate
    /// A client's, whose subject is ``clientSubject``.
    package let client: Certificate
    /// The client's certificate and key in one file of PKCS #12.
    package let clientBundle: String
    /// The password of ``clientBundle``.
    package static let bundlePassword = "harbour"
    /// A client's, which another authority has signed.
    package let stranger: Certificate
    /// The subject of ``client``, as nginx writes it.
    package static let clientSubject = "CN=Alice,O=Ferry"

    /// Makes everything.
    ///
    /// - Parameter home: The test's home, which is to hold the files.
    /// - Throws: ``TestAuthorityError`` with what openssl said.
    package init(in home: TestHome) async throws {
        let path = "\(home.path)/authority"
        _ = try Directory(opening: path, creatingPrivate: true)
        let maker = Maker(directory: path, environment: home.environment)
        try maker.writeConfiguration()
        let authority = try await maker.make("authority", "/CN=Authority", "authority")
        let other = try await maker.make("other", "/CN=Other", "authority")
        file = authority.file
        server = try await maker.make("server", "/CN=Server", "server", signer: authority)
        let subject = "/O=Ferry/CN=Alice"
        client = try await maker.make("client", subject, "client", signer: authority)
        stranger = try await maker.make("stranger", "/CN=Mallory", "client", signer: other)
        clientBundle = "\(path)/client.p12"
        try await maker.openssl(
            "pkcs12 -export -in \(client.file) -inkey \(client.keyFile) -out \(clientBundle)"
                + " -passout pass:\(Self.bundlePassword)"
        )
    }

    /// Calls openssl.
    private struct Maker {
        let directory: String
        let environment: [String: String]

        func writeConfiguration() throws {
            let text = """
                [req]
                distinguished_name = subject
                [subject]
                [authority]
                basicConstraints = critical, CA:true
                [server]
                subjectAltName = IP:127.0.0.1, DNS:localhost
                extendedKeyUsage = serverAuth
                [client]
                extendedKeyUsage = clientAuth

                """
            try Data(text.utf8).write(to: URL(filePath: "\(directory)/configuration"))
        }

        func make(
            _ name: String,
            _ subject: String,
            _ purpose: String,
            signer: Certificate? = nil
        ) async throws -> Certificate {
            let made = Certificate(
                file: "\(directory)/\(name).pem",
                keyFile: "\(directory)/\(name).key"
            )
            let signature = signer.map { " -CA \($0.file) -CAkey \($0.keyFile)" } ?? ""
            try await openssl(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
                    + " -config \(directory)/configuration -extensions \(purpose)"
                    + " -subj \(subject) -keyout \(made.keyFile) -out \(made.file)\(signature)"
            )
            return made
        }

        func openssl(_ arguments: String) async throws {
            let run = try await TestProcess.run(
                "/usr/bin/openssl",
                arguments.split(separator: " ").map(String.init),
                environment: environment
            )
            guard run.exit == .exited(status: 0) else {
                throw TestAuthorityError(description: run.error)
            }
        }
    }
}

/// A certificate could not be made.
package struct TestAuthorityError: Error, CustomStringConvertible {
    /// What openssl said.
    package let description: String
}
