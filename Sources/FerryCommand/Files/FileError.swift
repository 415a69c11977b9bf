import FerrySystem
@preconcurrency import Glibc

/// The reason why a file could not be moved to its destination.
struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call that failed.
    let call: String
    /// The file or directory concerned.
    let path: String
    /// The reason.
    let errno: Int32

    /// A description for people.
    var description: String {
        "\(path): \(String(cString: strerror(errno))) (\(call))"
    }
}

extension FileError {
    /// The error of a system call.
    init(_ error: SystemCallError) {
        self.init(call: error.call, path: error.subject, errno: error.errno)
    }

    /// Runs a system call, and repeats it when a signal interrupts it.
    ///
    /// - Parameters:
    ///   - name: The call's name.
    ///   - path: The file or directory concerned.
    ///   - body: Makes the call.
    /// - Returns: The call's result.
    /// - Throws: The reason if it returns -1.
    @discardableResult
    static func of<Result: FixedWidthInteger & SignedInteger>(
        _ name: String,
        _ path: String,
        _ body: () -> Result
    ) throws(FileError) -> Result {
        do throws(SystemCallError) {
            return try systemCall(name, path, body)
        } catch {
            throw FileError(error)
        }
    }

    /// What a failure says about the next attempt.
    enum Outlook: Hashable, Sendable {
        /// There is no room now.
        case noRoom
        /// The disk is missing, does not answer, or can only be read now.
        case noDisk
        /// The machine has too little of something else now, or the file is in use.
        case busy
        /// The file system refuses the name.
        case refusedName
        /// Nothing that passes by itself.
        case final
    }

    /// What the failure says about the next attempt.
    var outlook: Outlook {
        switch errno {
        case ENOSPC, EDQUOT: .noRoom
        case EROFS, ENODEV, ENXIO, ENOMEDIUM, ESTALE, EIO, EREMOTEIO, EUCLEAN, ENOTCONN, ESHUTDOWN,
            ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ECONNREFUSED, ECONNRESET,
            ECONNABORTED, ENOKEY, EKEYEXPIRED, EKEYREVOKED:
            .noDisk
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN, EBUSY, ENOLCK, EDEADLK, ETXTBSY: .busy
        case EINVAL, EILSEQ, ENAMETOOLONG: .refusedName
        default: .final
        }
    }
}
