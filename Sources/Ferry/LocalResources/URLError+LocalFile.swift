import FerrySystem
import Foundation
@preconcurrency import Glibc

extension URLError {
    /// The error of a task that reads a `file:` URL and could not.
    init(readingFile error: SystemCallError, url: URL) {
        let code: Code =
            switch error.errno {
            case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: .fileDoesNotExist
            case EISDIR: .fileIsDirectory
            case EACCES, EPERM: .noPermissionsToReadFile
            default: .resourceUnavailable
            }
        self.init(
            code,
            url: url,
            reason: error.description,
            underlyingError: NSError(domain: NSPOSIXErrorDomain, code: Int(error.errno))
        )
    }
}
