import Foundation

/// What `ferry get --json` and `ferry watch --json` write about a transfer they follow.
struct RowReport: Encodable {
    /// `started`, `progress`, `waiting`, `saved`, `completed`, `gone` or `failed`.
    let event: String
    /// Its number in ferryd.
    let id: Int?
    /// The URL it was created with, without a password.
    let url: String
    /// The body's bytes that are here.
    let received: Int64
    /// The body's length.
    let expected: Int64?
    /// Why it waits.
    var wait: String?
    /// When it is tried again.
    var until: Date?
    /// Where its file is.
    var path: String?
    /// The failure's name; of one that waits, the last failure's.
    var code: String?
    /// What went wrong; where nothing has, what it waits for.
    var message: String?

    /// The report of a transfer as it is now.
    ///
    /// - Parameters:
    ///   - row: The transfer.
    ///   - event: What happened; nil to tell its state.
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
