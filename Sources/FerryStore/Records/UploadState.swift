package import FerrySystem
package import FerryTransfer

/// The stored state of the file that an upload sends.
package struct UploadState: StoredRecord, Hashable, Sendable {
    /// A source of the bytes.
    package enum Place: String, Codable, Hashable, Sendable {
        /// The application's own file, which must not change.
        case original
        /// A copy in the daemon's directory.
        case copy
    }

    /// The source of the bytes.
    package var place = Place.original
    /// The path of the application's own file.
    package var path: String
    /// The state of the application's own file that is to be sent.
    package var identity: FileIdentity
    /// The boot in which the file was examined: a file system may have another number in the next boot.
    package var boot: BootIdentifier

    /// Creates the state of an application's own file.
    package init(path: String, identity: FileIdentity, boot: BootIdentifier) {
        self.path = path
        self.identity = identity
        self.boot = boot
    }

    /// The number of bytes to send.
    package var byteCount: Int64 { identity.size }

    /// Continues from what an earlier task has sent of a file, which must be unchanged since.
    package mutating func continueUpload(_ earlier: UploadResumeData) {
        guard case .file(_, let identity, let boot) = earlier.content else { return }
        self.identity = identity.carriedOver(from: boot, to: self.identity)
    }
}
