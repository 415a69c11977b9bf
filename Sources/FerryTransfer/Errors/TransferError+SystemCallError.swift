package import FerrySystem
import Glibc

extension TransferError {
    /// What was being done to a file when a system call failed.
    package enum FileOperation: Hashable, Sendable, CaseIterable {
        /// Creating or moving it.
        case create
        /// Opening or reading one that should be there.
        case open
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
        case (ENOMEM, _): .outOfMemory
        case (ENOENT, .open): .fileMissing
        case (_, .create), (_, .open): .cannotCreateFile
        case (_, .write): .cannotWriteToFile
        }
    }
}
