import COpenSSL
import FerrySystem

/// Authorities that are trusted in place of the system's.
///
/// OpenSSL reads them once, when the first TLS connection needs them, and all connections share the result. A
/// system has some hundred, and libcurl would copy their text for every request and read it for every
/// connection.
package final class TrustedAuthorities: Hashable, Sendable {
    /// Their certificates, in PEM.
    package let certificates: [UInt8]

    /// Makes authorities from certificates in PEM, which are not read yet.
    package init(_ certificates: [UInt8]) { self.certificates = certificates }

    @LoopActor private var reading: Result<CertificateStore, HTTPError>?

    /// Returns the authorities as OpenSSL has read them.
    ///
    /// - Throws: ``HTTPError/Code/serverCertificateUntrusted`` if they are not certificates.
    @LoopActor
    func store() throws(HTTPError) -> CertificateStore {
        if let reading { return try reading.get() }
        let reading = Result { () throws(HTTPError) in try CertificateStore(reading: certificates) }
        self.reading = reading
        return try reading.get()
    }

    package static func == (first: TrustedAuthorities, second: TrustedAuthorities) -> Bool {
        first === second || first.certificates == second.certificates
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(certificates.count) }
}

/// Certificates that OpenSSL has read, for any number of connections.
final class CertificateStore: Sendable {
    // Unsafe because the compiler cannot see that OpenSSL locks it.
    nonisolated(unsafe) private let pointer: OpaquePointer

    fileprivate init(reading certificates: [UInt8]) throws(HTTPError) {
        let pointer = certificates.withUnsafeBytes {
            COpenSSL_make_store($0.baseAddress, $0.count)
        }
        guard let pointer else {
            throw HTTPError(
                code: .serverCertificateUntrusted,
                message: "The certificates of authorities cannot be read: they are not in PEM"
            )
        }
        self.pointer = pointer
    }

    deinit { X509_STORE_free(pointer) }

    /// Makes the connections of a TLS context trust these certificates and no others.
    func trust(in tlsContext: UnsafeMutableRawPointer) {
        COpenSSL_trust(tlsContext, pointer)
    }
}
