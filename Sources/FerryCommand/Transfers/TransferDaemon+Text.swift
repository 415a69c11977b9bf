import Ferry
import Foundation

/// A transfer that the command describes in words: all of it, or its summary.
protocol ToldTransfer {
    /// Its number in ferryd.
    var id: Int { get }
    /// The application that created it.
    var application: String { get }
    /// What it is doing.
    var state: TransferDaemon.Transfer.State { get }
    /// The application's description of it.
    var taskDescription: String? { get }
    /// The address it was created with.
    var originalAddress: String? { get }
    /// The address that has replaced that.
    var relinkedAddress: String? { get }
    /// The status of the latest response.
    var status: Int? { get }
    /// The Content-Disposition field of the latest response.
    var contentDisposition: String? { get }
    /// The number of body bytes received.
    var receivedByteCount: Int64 { get }
    /// The body's length, if known.
    var expectedByteCount: Int64? { get }
    /// What it sends.
    var upload: TransferDaemon.Transfer.Upload? { get }
    /// Why it waits.
    var wait: TransferDaemon.Transfer.Wait? { get }
    /// The latest failure.
    var failure: TransferDaemon.Transfer.Failure? { get }
    /// The number of bytes received or sent per second lately.
    var bytesPerSecond: Int64? { get }
    /// Whether any certificate of its server is accepted.
    var acceptsInvalidCertificates: Bool { get }
}

extension TransferDaemon.Summary: ToldTransfer {}

extension TransferDaemon.Transfer: ToldTransfer {
    /// The failure of an attempt whose server has answered with something else than the file.
    static let oddAnswer = "answerDoubted"

    /// The address that has replaced the one it was created with.
    var relinkedAddress: String? { relinkedURL?.absoluteString }
    /// The status of the latest response.
    var status: Int? { response?.statusCode }
    /// The Content-Disposition field of the latest response.
    var contentDisposition: String? { response?.value(forHTTPHeaderField: "Content-Disposition") }
}

extension ToldTransfer {
    /// The URL that it loads: the one it was created with, or the one that has replaced that; without a password.
    var shownURL: String {
        let address = relinkedAddress ?? originalAddress ?? ""
        return address.isEmpty ? "-" : address.withoutPassword
    }

    /// The number of bytes sent or received, and of all if known.
    var byteCounts: (done: Int64, whole: Int64?) {
        upload.map { ($0.sentByteCount, $0.byteCount) } ?? (receivedByteCount, expectedByteCount)
    }

    /// The time that the rest takes at its present speed; nil while that is unknown.
    var timeLeft: Duration? {
        let (done, whole) = byteCounts
        guard let whole, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return .seconds((Double(max(0, whole - done)) / Double(bytesPerSecond)).rounded(.up))
    }

    /// The current or future name of its file.
    var name: String {
        if let name = Destination(taskDescription: taskDescription)?.name { return name }
        return FileName(contentDisposition: contentDisposition, address: originalAddress).text
    }

    /// Its name in a line for people, which says if its server is not verified.
    var title: String { TransferRow.title(name, isInsecure: acceptsInvalidCertificates) }

    /// The reason why a completed transfer has no usable file; nil when it has one.
    var reasonForFailure: Outcome.Reason? {
        if let failure {
            let isOwn = application == CommandSession.application
            let message =
                isOwn ? Outcome.Reason.withoutSession(failure.message) : failure.message
            return Outcome.Reason(code: failure.code, message: message)
        }
        return status.flatMap(Outcome.Reason.init(status:))
    }

    /// Returns the reason why it does not progress; nil when that is unknown, or it does.
    ///
    /// - Parameter now: The present.
    /// - Returns: The reason.
    func hold(now: Date) -> TransferRow.Hold? {
        if let wait {
            let last = failure.map { Outcome.Reason(code: $0.code, message: $0.message) }
            return TransferRow.Hold(
                reason: wait.reason.description,
                text: wait.text(of: id, after: last, now: now),
                until: wait.until,
                detail: wait.detail,
                failure: last,
                isItsTurn: [.hostLimit, .connectionLimit, .starting].contains(wait.reason)
            )
        }
        guard state == .suspended else { return nil }
        return TransferRow.Hold(reason: "paused", text: "paused")
    }

    /// Whether the time of the next attempt alone does not say what it waits for.
    private var isToldWhole: Bool {
        switch wait?.reason {
        case .expiredLink: true
        case .backoff: failure?.code == TransferDaemon.Transfer.oddAnswer
        default: false
        }
    }

    /// The progress of a download, such as `45% of 256 MiB`, or of an upload, such as `45% of 256 MiB up`.
    var progressText: String {
        if let upload {
            let percent = Figures.percent(upload.sentByteCount, of: upload.byteCount)
            return "\(percent)% of \(Figures.byteCount(upload.byteCount)) up"
        }
        guard let expectedByteCount else { return Figures.byteCount(receivedByteCount) }
        let percent = Figures.percent(receivedByteCount, of: expectedByteCount)
        return "\(percent)% of \(Figures.byteCount(expectedByteCount))"
    }

    /// Returns the state in a few words.
    ///
    /// - Parameter now: The present.
    /// - Returns: The text.
    func stateText(now: Date) -> String {
        switch state {
        case .suspended, .waiting:
            (isToldWhole ? nil : wait?.text(now: now)) ?? hold(now: now)?.text ?? "waiting"
        case .running: "running"
        case .completed:
            reasonForFailure.map { $0.isCancellation ? "cancelled" : "failed" } ?? obstacle
                ?? "done"
        }
    }

    /// The color of its state; nil for the terminal's own.
    var color: Color? {
        switch state {
        case .suspended: nil
        case .waiting: .yellow
        case .running: .green
        case .completed: reasonForFailure != nil ? .red : obstacle == nil ? nil : .yellow
        }
    }

    /// What the complete file of a download by `ferry` waits for, such as `waits for its disk: /mnt/stick is not
    /// mounted`.
    var obstacle: String? {
        guard state == .completed, reasonForFailure == nil,
            let destination = Destination(taskDescription: taskDescription)
        else { return nil }
        return destination.obstacle ?? destination.currentObstacle
    }
}

extension TransferDaemon.Transfer.Wait {
    /// Returns the reason for the wait in a few words.
    ///
    /// - Parameter now: The present.
    /// - Returns: The text.
    func text(now: Date) -> String {
        switch reason {
        case .paused: "paused"
        case .hostLimit: "waiting: enough from its host"
        case .connectionLimit: "waiting: enough at once"
        case .fairShare: "waiting: too slow, others go first"
        case .starting: "starting"
        case .earliestBegin: until.map { "begins at \($0.text(now: now))" } ?? "begins later"
        case .application: "waiting for its application"
        case .backoff, .hostFailure: until.map { "retry at \($0.text(now: now))" } ?? "retry later"
        case .network: "waiting for a network"
        case .diskSpace: "waiting for room on the disk"
        case .expiredLink: "link expired"
        case .expensiveNetwork: "waiting: the network is metered"
        case .constrainedNetwork: "waiting: the network is to carry few bytes"
        case .cellularNetwork: "waiting: the network is cellular"
        case .battery: "waiting: on battery"
        case .powerSaver: "waiting: saving power"
        case .machineSleep: "waiting: the machine is about to sleep or to shut down"
        case .outsideHours:
            until.map { "waits until \($0.text(now: now))" } ?? "waiting for its hours"
        default: "waiting: \(detail ?? reason.description)"
        }
    }

    /// Returns the reason for the wait, with the last failure.
    ///
    /// - Parameters:
    ///   - id: The transfer's number.
    ///   - failure: The last failure.
    ///   - now: The present.
    /// - Returns: The text, in one line.
    func text(
        of id: TransferDaemon.Transfer.ID,
        after failure: Outcome.Reason?,
        now: Date
    ) -> String {
        let words = self.text(now: now)
        return switch reason {
        case .backoff where failure?.code == TransferDaemon.Transfer.oddAnswer:
            until.map { "\(failure?.message ?? words); asked again at \($0.text(now: now))" }
                ?? words
        case .expiredLink: "\(words); ferry relink URL \(id)"
        case .backoff, .hostFailure:
            (failure?.message ?? detail).map { "\(words): \($0)" } ?? words
        case .diskSpace:
            until.map { "\(words), retry at \($0.text(now: now))" } ?? words
        default: words
        }
    }
}

extension Outcome.Reason {
    /// The reason in a response's status; nil when that means success.
    ///
    /// - Parameter response: The last response.
    init?(response: HTTPURLResponse) { self.init(status: response.statusCode) }

    /// The reason in a status; nil when that means success.
    ///
    /// - Parameter status: The status of the last response.
    init?(status: Int) {
        guard status >= 400 else { return nil }
        let words = HTTPURLResponse.localizedString(forStatusCode: status)
        self.init(code: "httpStatus", message: "the server answered \(status) \(words)")
    }
}

extension TransferRow {
    /// The row of a transfer whose progress is not known yet.
    ///
    /// - Parameter transfer: The transfer.
    init(_ transfer: TransferDaemon.Transfer) {
        let id = ID(
            application: transfer.application,
            session: transfer.session,
            taskIdentifier: transfer.taskIdentifier
        )
        self.init(id: id, name: transfer.name, url: transfer.shownURL, number: transfer.id)
        isInsecure = transfer.acceptsInvalidCertificates
    }

    /// Returns the outcome in a few words.
    ///
    /// - Parameter outcome: The outcome.
    /// - Returns: The text.
    func text(of outcome: Outcome) -> String {
        switch outcome {
        case .saved(let path, _):
            let file = URL(fileURLWithPath: path).lastPathComponent
            return (file == name ? "saved" : "saved as \(file)") + amount
        case .unchanged: return "unchanged: the file that is here stays"
        case .sent: return "sent\(amount)"
        case .completed: return "done\(amount)"
        case .gone: return "over"
        case .failed(let reason):
            return reason.isCancellation ? "cancelled" : "failed: \(reason.message)"
        }
    }

    private var amount: String {
        let time = elapsed.map { " in \(Figures.elapsed($0))" } ?? ""
        return ", \(Figures.byteCount(receivedByteCount))\(time)"
    }
}
