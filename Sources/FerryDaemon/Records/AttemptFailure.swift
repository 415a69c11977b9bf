import FerryTransfer
import FerryWire

/// A failed attempt as the store keeps it; a client sees the first two members.
struct AttemptFailure: StoredRecord, Hashable {
    /// The failure's class.
    var code: String
    /// A description of the failure, for people.
    var message: String
    /// The number of consecutive times that the server has reported that it is unavailable.
    var unavailableCount = 0
    /// The maximum number of body bytes in this attempt and earlier ones: received here, or held by the server of an
    /// upload.
    var mostByteCount: Int64?

    /// Creates the record of a failure, given the one before it.
    init(_ error: TransferError, after earlier: AttemptFailure?, mostByteCount: Int64? = nil) {
        code = error.code.rawValue
        message = error.message
        self.mostByteCount = mostByteCount ?? earlier?.mostByteCount
        guard error.code == .serverUnavailable else { return }
        // A stored number may have any value.
        unavailableCount = min(max(0, earlier?.unavailableCount ?? 0), .max - 1) + 1
    }
}
