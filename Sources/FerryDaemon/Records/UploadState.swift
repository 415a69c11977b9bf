import FerrySystem
import FerryTransfer
import FerryWire

/// The stored state of the file that an upload sends.
struct UploadState: StoredRecord, Hashable {
    /// A source of the bytes.
    enum Place: String, Codable, Hashable {
        /// The application's own file, which must not change.
        case original
        /// A copy in the daemon's directory.
        case copy
    }

    /// The source of the bytes.
    var place = Place.original
    /// The path of the application's own file.
    var path: String
    /// The state of the application's own file that is to be sent.
    var identity: FileIdentity
    /// The boot in which the file was examined: a file system may have another number in the next boot.
    var boot: BootIdentifier

    /// The number of bytes to send.
    var byteCount: Int64 { identity.size }

    /// Continues from what an earlier task has sent of a file, which must be unchanged since.
    mutating func continueUpload(_ earlier: UploadResumeData) {
        guard case .file(_, let identity, let boot) = earlier.content else { return }
        self.identity = identity.carriedOver(from: boot, to: self.identity)
    }
}
