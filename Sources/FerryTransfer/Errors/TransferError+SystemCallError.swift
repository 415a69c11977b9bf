package import FerrySystem
import Glibc

extension TransferError {
    /// What was being done to a file when a system call failed.
    package enum FileOperation: Hashable, Sendable, CaseIterable {
        /// Creating or moving it.
        case create
        /// Opening or reading one that should be there.
        case open
        /// Opening or reading the app's own, to send it.
        case read
        /// Writing, cutting or synchronising it.
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
        // A quota is a disk of the user's own (quotactl(2)).
        case (ENOSPC, _), (EDQUOT, _): .diskFull
        // A shortage of descriptors passes as one of memory does.
        case (ENOMEM, _), (EMFILE, _), (ENFILE, _): .outOfMemory
        case (ENOENT, .open), (ENOENT, .read), (ENOTDIR, .read): .fileMissing
        case (EACCES, .read), (EPERM, .read): .fileUnreadable
        case (_, .read): .bodyUnreadable
        case (_, .create), (_, .open): .cannotCreateFile
        case (_, .write): .cannotWriteToFile
        }
    }
}
