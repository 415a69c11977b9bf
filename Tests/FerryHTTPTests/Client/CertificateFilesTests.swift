import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryHTTP

/// Authorities that are given by their contents, and files of certificates.
@Suite(.enabled(if: TLSServer.program != nil, "openssl is missing"), .timeLimit(.minutes(1)))
struct CertificateFilesTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    private func fetch(
        _ server: TLSServer,
        _ change: @Sendable (inout HTTPClient.Configuration) -> Void
    ) async throws -> HTTPError.Code? {
        let client = try await HTTPClient.local(change)
        return try await client.fetch(HTTPRequest(url: server.url)).error?.code
    }

    @Test func `SEC-8: authorities are trusted by their contents, and no others`() async throws {
        let server = try await TLSServer.start(.good)
        let other = try await TLSServer.start(.good)
        let bytes = try CertificateFiles.authorities(file: server.authorityFile, directory: nil)
        #expect(try await fetch(server) { $0.certificateAuthorities = bytes } == nil)
        #expect(
            try await fetch(other) { $0.certificateAuthorities = bytes }
                == .serverCertificateUntrusted
        )
        #expect(
            try await fetch(server) {
                $0.certificateAuthorities = bytes
                $0.certificateAuthorityFile = "/nonexistent.pem"
            } == nil
        )
    }

    @Test func `SEC-8: authorities are read once for all connections of all who have them`()
        async throws
    {
        let server = try await TLSServer.start(.good)
        let authorities = try #require(
            try CertificateFiles.authorities(file: server.authorityFile, directory: nil)
        )
        let store = try await authorities.store()
        for _ in 1...2 {
            #expect(try await fetch(server) { $0.certificateAuthorities = authorities } == nil)
        }
        #expect(try await authorities.store() === store)
        #expect(authorities == TrustedAuthorities(authorities.certificates))
        #expect(authorities != TrustedAuthorities(authorities.certificates + [10]))
    }

    @Test func `SEC-8: authorities are the same where their certificates are`() {
        #expect(TrustedAuthorities([1, 2]) == TrustedAuthorities([1, 2]))
        #expect(TrustedAuthorities([1, 2]) != TrustedAuthorities([2, 1]))
    }

    @Test(arguments: ["", "nothing of the kind"])
    func `SEC-8: contents that are no certificates trust nobody`(text: String) async throws {
        let server = try await TLSServer.start(.good)
        let code = try await fetch(server) {
            $0.certificateAuthorities = TrustedAuthorities(Array(text.utf8))
        }
        #expect(code == .serverCertificateUntrusted)
    }

    @Test func `SEC-8: authorities of which there are none are said to be none`() async throws {
        let client = try await HTTPClient.local {
            $0.certificateAuthorities = TrustedAuthorities([])
        }
        let error = try await client.fetch(HTTPRequest(url: "https://127.0.0.1:1/")).error
        #expect(error?.code == .serverCertificateUntrusted)
        #expect(error?.message == "The certificates of authorities are empty")
    }

    @Test func `SEC-8: of a directory those are read that OpenSSL would find`() async throws {
        let server = try await TLSServer.start(.good)
        let authority = try Data(contentsOf: URL(filePath: server.authorityFile))
        try authority.write(to: URL(filePath: place.path + "/3513523f.0"))
        try Data("no certificate".utf8).write(to: URL(filePath: place.path + "/README"))
        symlink("/nonexistent", place.path + "/00000000.0")
        let bytes = try #require(
            try CertificateFiles.authorities(file: nil, directory: place.path)
        )
        #expect(bytes.certificates == Array(authority) + [10])
        #expect(try await fetch(server) { $0.certificateAuthorities = bytes } == nil)
    }

    @Test func `SEC-8: what is no file is named, and keeps nobody waiting`() throws {
        mkfifo(place.path + "/pipe", 0o600)
        for (path, reason) in [
            (place.path + "/pipe", "Invalid argument"), (place.path, "Invalid argument"),
            ("/nonexistent.pem", "No such file"),
        ] {
            let error = #expect(throws: HTTPError.self) {
                try CertificateFiles.authorities(file: path, directory: nil)
            }
            #expect(error?.code == .serverCertificateUntrusted)
            #expect(
                error?.message.contains("\(path): \(reason)") == true,
                "\(error?.message ?? "")"
            )
            let unusable = #expect(throws: HTTPError.self) {
                try CertificateFiles.identity(certificate: path, key: nil, passphrase: nil)
            }
            #expect(unusable?.code == .clientCertificateUnusable)
        }
    }

    @Test func `SEC-8: a file that is too long is not read`() throws {
        let path = place.path + "/long.pem"
        _ = try place.directory.open("long.pem", .create)
        #expect(truncate(path, CertificateFiles.maximumByteCount + 1) == 0)
        let error = #expect(throws: HTTPError.self) {
            try CertificateFiles.authorities(file: path, directory: nil)
        }
        #expect(error?.message.contains("File too large") == true)
    }

    @Test func `SEC-8: a certificate and its key may be in two files`() async throws {
        try Data("-----BEGIN CERTIFICATE-----".utf8)
            .write(to: URL(filePath: place.path + "/a.pem"))
        try Data("key".utf8).write(to: URL(filePath: place.path + "/a.key"))
        let identity = try CertificateFiles.identity(
            certificate: place.path + "/a.pem",
            key: place.path + "/a.key",
            passphrase: "x"
        )
        let text = "-----BEGIN CERTIFICATE-----\nkey"
        #expect(identity == HTTPIdentity(Array(text.utf8), format: .pem, passphrase: "x"))
        let other = try CertificateFiles.identity(
            certificate: place.path + "/a.key",
            key: nil,
            passphrase: nil
        )
        #expect(other.format == .pkcs12)
    }

    @Test func `SEC-8: a file goes with a directory, whatever it ends with`() throws {
        try Data("file".utf8).write(to: URL(filePath: place.path + "/ca.pem"))
        try Data("entry".utf8).write(to: URL(filePath: place.path + "/3513523f.0"))
        let bytes = try CertificateFiles.authorities(
            file: place.path + "/ca.pem",
            directory: place.path
        )
        #expect(bytes?.certificates == Array("file\nentry\n".utf8))
    }
}
