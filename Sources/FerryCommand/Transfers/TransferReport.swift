import Ferry
import Foundation

/// A transfer as `--json` writes it.
struct TransferReport: Encodable {
    /// The reason why it waits.
    struct Wait: Encodable {
        let reason: String
        let until: Date?
        let detail: String?
    }

    /// The last failure.
    struct Failure: Encodable {
        let code: String
        let message: String
    }

    /// Its number in ferryd.
    let id: Int
    /// The application that created it.
    let application: String
    /// The background session in which it was created.
    let session: String
    /// Its number within that session.
    let task: Int
    /// `suspended`, `waiting`, `running` or `completed`.
    let state: String
    /// The name of its file.
    let name: String
    /// The URL it was created with, without a password.
    let url: String
    /// True if any certificate of its server is accepted.
    let insecure: Bool?
    /// The status of the latest response.
    let status: Int?
    /// The number of body bytes received.
    let received: Int64
    /// The body's length.
    let expected: Int64?
    /// The number of bytes sent; only for an upload.
    let sent: Int64?
    /// The number of bytes to send; only for an upload.
    let size: Int64?
    /// Its weight among the application's transfers.
    let priority: Float
    /// The reason why it waits.
    let wait: Wait?
    /// The last failure.
    let failure: Failure?
    /// The number of failed attempts since there were last more bytes than ever.
    let attempts: Int
    /// The number of bytes received or sent per second lately.
    let rate: Int64?
    /// Its own limit of what it receives, in bytes per second.
    let receiveLimit: Int64?
    /// Its own limit of what it sends, in bytes per second.
    let sendLimit: Int64?
    /// When it was created.
    let created: Date

    /// The report of a transfer.
    init(_ transfer: TransferDaemon.Transfer) {
        id = transfer.id
        application = transfer.application
        session = transfer.session
        task = transfer.taskIdentifier
        state = transfer.state.rawValue
        name = transfer.name
        url = transfer.shownURL
        insecure = transfer.acceptsInvalidCertificates ? true : nil
        status = transfer.status
        received = transfer.receivedByteCount
        expected = transfer.expectedByteCount
        sent = transfer.upload?.sentByteCount
        size = transfer.upload?.byteCount
        priority = transfer.priority
        wait =
            transfer.wait.map {
                Wait(reason: $0.reason.description, until: $0.until, detail: $0.detail)
            } ?? transfer.obstacle.map { Wait(reason: "placing", until: nil, detail: $0) }
        failure = transfer.failure.map { Failure(code: $0.code, message: $0.message) }
        attempts = transfer.attempts
        rate = transfer.bytesPerSecond
        receiveLimit = transfer.rates.receive
        sendLimit = transfer.rates.send
        created = transfer.created
    }
}

/// A transfer that has ended, as `--json` writes it.
struct EndedReport: Encodable {
    /// The number that it had in ferryd.
    let id: Int
    /// The application that created it.
    let application: String
    /// The background session in which it was created.
    let session: String
    /// Its number within that session.
    let task: Int
    /// `saved`, `done`, `failed` or `cancelled`.
    let state: String
    /// The name of its file.
    let name: String
    /// The address that was requested, without what may be secret.
    let url: String
    /// The status of the last response.
    let status: Int?
    /// The number of body bytes received.
    let received: Int64
    /// The body's length.
    let expected: Int64?
    /// The number of bytes sent; only of an upload.
    let sent: Int64?
    /// The number of bytes to send; only of an upload.
    let size: Int64?
    /// Why there is no file.
    let failure: TransferReport.Failure?
    /// The path of its file.
    let path: String?
    /// The digests that its file was found to have, by their algorithms, in hexadecimal digits.
    let digests: [String: String]?
    /// When it was created.
    let created: Date
    /// When it ended.
    let ended: Date

    /// The report of a transfer.
    init(_ transfer: TransferDaemon.EndedTransfer) {
        id = transfer.id
        application = transfer.application
        session = transfer.session
        task = transfer.taskIdentifier
        state = transfer.stateText
        name = transfer.name
        url = transfer.address
        status = transfer.status
        received = transfer.receivedByteCount
        expected = transfer.expectedByteCount
        sent = transfer.upload?.sentByteCount
        size = transfer.upload?.byteCount
        if case .failed(let reason) = transfer.outcome {
            failure = TransferReport.Failure(code: reason.code, message: reason.message)
        } else {
            failure = nil
        }
        path = transfer.path
        let known = transfer.digests.map { ($0.algorithm.rawValue, $0.hexadecimal) }
        digests = known.isEmpty ? nil : Dictionary(known, uniquingKeysWith: { $1 })
        created = transfer.created
        ended = transfer.ended
    }
}

/// A followed transfer as `ferry get --json` and `ferry watch --json` write it.
struct RowReport: Encodable {
    /// `started`, `progress`, `waiting`, `saved`, `unchanged`, `sent`, `completed`, `gone` or `failed`.
    let event: String
    /// Its number in ferryd.
    let id: Int?
    /// The URL it was created with, without a password.
    let url: String
    /// True if any certificate of its server is accepted.
    let insecure: Bool?
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
    /// What the server has answered to an upload; nil for nothing.
    var answer: String?
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
        insecure = row.isInsecure ? true : nil
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
        case .over(.unchanged(let path)):
            self.event = event ?? "unchanged"
            self.path = path
        case .over(.sent(let answer)):
            self.event = event ?? "sent"
            self.answer = answer.isEmpty ? nil : answer
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
