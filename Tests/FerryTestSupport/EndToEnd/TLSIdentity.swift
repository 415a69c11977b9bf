import Foundation

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
