import FerrySystem
import Glibc

/// Reads files of certificates and keys, which may block.
package enum CertificateFiles {
    /// The size limit, which is more than all existing authorities need.
    package static let maximumByteCount = 8 << 20

    /// Reads the trusted authorities from files.
    ///
    /// - Parameters:
    ///   - file: The path of a file of them; `nil` for none.
    ///   - directory: The path of a directory of such files, named as `c_rehash` does; `nil` for none.
    /// - Returns: All of them; `nil` if neither is given.
    /// - Throws: ``HTTPError/Code/serverCertificateUntrusted`` for what cannot be read or is too long.
    package static func authorities(
        file: String?,
        directory: String?
    ) throws(HTTPError) -> TrustedAuthorities? {
        guard file != nil || directory != nil else { return nil }
        var bytes: [UInt8] = []
        do throws(SystemCallError) {
            if let file { bytes += try contents(of: file) + lineFeed }
            if let directory { bytes += try certificates(in: directory) }
        } catch {
            throw HTTPError(
                code: .serverCertificateUntrusted,
                message: "the trusted authorities cannot be read: \(error)"
            )
        }
        return TrustedAuthorities(bytes)
    }

    /// Reads a certificate and its key.
    ///
    /// - Parameters:
    ///   - certificate: The path of the certificate, in PEM, or of both, in PEM or PKCS #12.
    ///   - key: The path of the key, in PEM; `nil` if it is in the certificate's file.
    ///   - passphrase: The passphrase of the key.
    /// - Returns: The identity.
    /// - Throws: ``HTTPError/Code/clientCertificateUnusable`` for what cannot be read or is too long.
    package static func identity(
        certificate: String,
        key: String?,
        passphrase: String?
    ) throws(HTTPError) -> HTTPIdentity {
        do throws(SystemCallError) {
            var bytes = try contents(of: certificate)
            // PEM is text, with this marker.
            let isText = bytes.firstRange(of: Array("-----BEGIN ".utf8)) != nil
            if let key { bytes += lineFeed + (try contents(of: key)) }
            return HTTPIdentity(
                bytes,
                format: isText || key != nil ? .pem : .pkcs12,
                passphrase: passphrase
            )
        } catch {
            throw HTTPError(
                code: .clientCertificateUnusable,
                message: "the client's certificate or key cannot be read: \(error)"
            )
        }
    }

    private static let lineFeed = [UInt8(ascii: "\n")]

    /// Reads the certificates that OpenSSL would find in a directory.
    private static func certificates(in path: String) throws(SystemCallError) -> [UInt8] {
        var bytes: [UInt8] = []
        for name in try Directory(opening: path).names().sorted() where isHashed(name) {
            // OpenSSL also skips those that it cannot read.
            guard let file = try? contents(of: "\(path)/\(name)") else { continue }
            bytes += file + lineFeed
            guard bytes.count <= maximumByteCount else {
                throw SystemCallError(call: "read", errno: EFBIG, subject: path)
            }
        }
        return bytes
    }

    /// Returns whether a name is eight hexadecimal digits and a number, as in `3513523f.0`.
    private static func isHashed(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 8, !parts[1].isEmpty else { return false }
        return parts[0].allSatisfy(isHexadecimal) && parts[1].allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
    }

    private static func contents(of path: String) throws(SystemCallError) -> [UInt8] {
        // The path may be a pipe whose other end is never opened, so `open` must not wait.
        let number = try systemCall("open", path) { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        let file = FileDescriptor(owning: number)
        guard try file.status().isRegularFile else {
            throw SystemCallError(call: "open", errno: EINVAL, subject: path)
        }
        do throws(SystemCallError) {
            return try file.readToEnd(limit: maximumByteCount)
        } catch {
            throw SystemCallError(call: error.call, errno: error.errno, subject: path)
        }
    }
}
