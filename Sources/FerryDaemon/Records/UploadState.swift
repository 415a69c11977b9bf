import FerrySystem
import FerryTransfer
import FerryWire

/// What the store keeps about the file that an upload sends.
struct UploadState: StoredRecord, Hashable {
    /// Where the bytes are taken from.
    enum Place: String, Codable, Hashable {
        /// From the application's own file, which must stay as it is.
        case original
        /// From a copy in the daemon's directory.
        case copy
    }

    /// Where the bytes are taken from.
    var place = Place.original
    /// The path of the application's own file.
    var path: String
    /// The state of the application's own file that is to be sent.
    var identity: FileIdentity
    /// When the file was looked at: a file system may have another number after the next start of the system.
    var boot: BootIdentifier

    /// How many bytes are sent.
    var byteCount: Int64 { identity.size }

    /// Goes on with what an earlier task has sent of a file, which must be what it was then.
    mutating func continueUpload(_ earlier: UploadResumeData) {
        guard case .file(_, let identity, let boot) = earlier.content else { return }
        self.identity = identity.carriedOver(from: boot, to: self.identity)
    }
}
