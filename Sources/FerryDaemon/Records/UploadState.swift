import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

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

/// The stored state of a task whose address differs from its request's.
struct LinkState: StoredRecord, Hashable {
    /// The request that replaces the task's own.
    var request: Wire.Request
    /// A number that identifies this address among all that the task, and those whose bytes it has taken over, have
    /// had.
    var number: Int
}

/// The stored state of a task with an earliest begin date.
struct DelayState: StoredRecord, Hashable {
    /// The date, as a time of day, while it is in the future.
    var date: Date?
    /// Whether its application must still be asked before it begins.
    var asks: Bool
    /// The request that its application sends in place of the task's own.
    var request: Wire.Request?
}

extension TaskRecord {
    /// The request to send: the task's own, the one that its application chose instead when the task was to begin, or
    /// the one with the resource's latest address.
    var requestToSend: Wire.Request? { replacement ?? Stored.request(request) }

    /// The request that replaces the task's own, if any.
    var replacement: Wire.Request? {
        LinkState.decode(link)?.request ?? DelayState.decode(delay)?.request
    }
}

extension DelayState {
    /// Creates the state that a client asks for; `nil` for a date that has passed.
    init?(_ begin: Wire.EarliestBegin, at now: Date) {
        guard begin.date > now else { return nil }
        self.init(date: begin.date, asks: begin.asks)
    }
}
