import Foundation
@preconcurrency import Glibc

/// A file of certificates or keys that cannot be used.
struct UnusableCertificate: Error, CustomStringConvertible {
    /// The option that names it.
    let option: String
    /// The file.
    let path: String
    /// The problem with it.
    let reason: String

    /// A description of the file and its problem.
    var description: String { "--\(option) '\(path)' cannot be used: \(reason)" }

    /// Checks a file before transfers need it.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - option: The option that names it.
    ///   - needsText: Whether it has to be PEM.
    ///   - mayBeLocked: Whether there is a passphrase.
    /// - Throws: The problem with the file.
    static func check(
        _ file: URL,
        of option: String,
        needsText: Bool,
        mayBeLocked: Bool = false
    ) throws(Self) {
        let path = file.path
        func unusable(_ reason: String) -> Self {
            Self(option: option, path: path, reason: reason)
        }
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
            // Foundation's errors do not say why; the kernel does.
            throw unusable(String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw unusable("it is not a regular file") }
        guard status.st_size <= 8 << 20, let bytes = try? Data(contentsOf: file) else {
            throw unusable("it is longer than 8 MiB")
        }
        if needsText, bytes.firstRange(of: Data("-----BEGIN ".utf8)) == nil {
            throw unusable("it is not in PEM: there is no line '-----BEGIN …'")
        }
        if option != "cacert", !mayBeLocked, bytes.firstRange(of: Data("ENCRYPTED".utf8)) != nil {
            throw unusable(
                "its key is locked; --pass-file has the passphrase, or 'openssl pkey -in FILE -out NEW' makes one that is not"
            )
        }
    }
}
