package import FerrySystem
import Glibc

extension TransferError {
    /// What was being done to a file when a system call failed.
    package enum FileOperation: Hashable, Sendable, CaseIterable {
        /// Creating or moving it.
        case create
        /// Opening or reading a file that should exist.
        case open
        /// Opening or reading the app's file, to send it.
        case read
        /// Writing, truncating or synchronizing it.
        case write
    }

    /// Translates a system call that failed on the file for the body.
    package init(_ error: SystemCallError, during operation: FileOperation) {
        self.init(
            code: Self.code(forErrno: error.errno, during: operation),
            message: error.description
        )
    }

    private static func code(forErrno errno: Int32, during operation: FileOperation) -> Code {
        switch (errno, operation) {
        // To the user, a quota is a disk of its own (quotactl(2)).
        case (ENOSPC, _), (EDQUOT, _): .diskFull
        // A shortage of descriptors is temporary, as one of memory is.
        case (ENOMEM, _), (EMFILE, _), (ENFILE, _): .outOfMemory
        case (ENOENT, .open), (ENOENT, .read), (ENOTDIR, .read): .fileMissing
        case (EACCES, .read), (EPERM, .read): .fileUnreadable
        case (_, .read): .bodyUnreadable
        case (_, .create), (_, .open): .cannotCreateFile
        case (_, .write): .cannotWriteToFile
        }
    }
}
