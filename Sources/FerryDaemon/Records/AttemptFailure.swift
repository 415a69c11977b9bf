import FerryTransfer
import FerryWire

/// What the store keeps about an attempt that has failed; a client sees the first two members.
struct AttemptFailure: StoredRecord, Hashable {
    /// The failure's class.
    var code: String
    /// What happened, for people.
    var message: String
    /// How often in a row the server has said that it is unavailable.
    var unavailableCount = 0
    /// How many bytes of the body there were at most, in this attempt and those before it: here, or at the server of
    /// an upload.
    var mostByteCount: Int64?

    /// Notes a failure that follows another.
    init(_ error: TransferError, after earlier: AttemptFailure?, mostByteCount: Int64? = nil) {
        code = error.code.rawValue
        message = error.message
        self.mostByteCount = mostByteCount ?? earlier?.mostByteCount
        guard error.code == .serverUnavailable else { return }
        // What stands in a file may be any number.
        unavailableCount = min(max(0, earlier?.unavailableCount ?? 0), .max - 1) + 1
    }
}
