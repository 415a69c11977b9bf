import Foundation

/// A followed transfer as `ferry get --json` and `ferry watch --json` write it.
struct RowReport: Encodable {
    /// `started`, `progress`, `waiting`, `saved`, `completed`, `gone` or `failed`.
    let event: String
    /// Its number in ferryd.
    let id: Int?
    /// The URL it was created with, without a password.
    let url: String
    /// The number of bytes received, or sent by an upload.
    let received: Int64
    /// The body's length.
    let expected: Int64?
    /// The reason why it waits.
    var wait: String?
    /// The time of the next attempt.
    var until: Date?
    /// The path of its file.
    var path: String?
    /// The failure's name; while it waits, that of the last failure.
    var code: String?
    /// The failure's description; without a failure, details of the wait.
    var message: String?

    /// The report of a transfer as it is now.
    ///
    /// - Parameters:
    ///   - row: The transfer.
    ///   - event: The event; nil to report its state.
    init(_ row: TransferRow, event: String? = nil) {
        id = row.number
        url = row.url
        received = row.receivedByteCount
        expected = row.expectedByteCount
        switch row.state {
        case .waiting(let hold):
            self.event = event ?? "waiting"
            wait = hold?.reason
            until = hold?.until
            code = hold?.failure?.code
            message = hold?.failure?.message ?? hold?.detail
        case .running:
            self.event = event ?? "progress"
        case .over(.saved(let path, _)):
            self.event = event ?? "saved"
            self.path = path
        case .over(.completed):
            self.event = event ?? "completed"
        case .over(.gone):
            self.event = event ?? "gone"
        case .over(.failed(let reason)):
            self.event = event ?? "failed"
            code = reason.code
            message = reason.message
        }
    }
}
