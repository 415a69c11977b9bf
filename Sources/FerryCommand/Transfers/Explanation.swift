import Ferry
import Foundation

/// An explanation of a transfer's state, in sentences.
struct Explanation {
    private let transfer: TransferDaemon.Transfer
    private let now: Date

    /// The explanation of a transfer's state.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - now: The present.
    init(_ transfer: TransferDaemon.Transfer, now: Date) {
        self.transfer = transfer
        self.now = now
    }

    /// The sentences, one per line.
    var lines: [String] {
        ["\(transfer.id)  \(transfer.shownURL)", state]
            + [history, link, verification, limits, destination].compactMap { $0 }
    }

    private var link: String? {
        guard transfer.relinkedURL != nil, let url = transfer.originalRequest.url else {
            return nil
        }
        return "It was begun from \(url.shown)."
    }

    private var verification: String? {
        transfer.acceptsInvalidCertificates
            ? "Its server is not verified: it was begun with --insecure." : nil
    }

    private var limits: String? {
        transfer.rates.text.map { "Its own limit: \($0)." }
    }

    private var running: String {
        let figures = [
            transfer.bytesPerSecond.map { Figures.speed(Double($0)) },
            transfer.timeLeft.map { "\(Figures.duration($0)) left" },
        ].compactMap { $0 }
        let speed = figures.isEmpty ? "" : "; \(figures.joined(separator: ", "))"
        return "It is running: \(transfer.progressText) is here\(speed)."
    }

    private var state: String {
        switch transfer.state {
        case .running: running
        case .suspended: "It is paused. 'ferry resume \(transfer.id)' resumes it."
        case .completed: ended
        case .waiting: waiting
        }
    }

    private var ended: String {
        if let obstacle = transfer.obstacle {
            return "Its file is complete, and \(obstacle). ferryd keeps it until it can be saved."
        }
        return "It has ended; \(transfer.application) has not acknowledged that yet. "
            + "'ferry hooks' tells whether and when ferryd starts it. If that program is gone, "
            + "'ferry cancel \(transfer.id)' forgets the transfer and its file."
    }

    private var waiting: String {
        guard let wait = transfer.wait else { return "It waits." }
        switch wait.reason {
        case .paused: return "It is paused. 'ferry resume \(transfer.id)' resumes it."
        case .hostLimit:
            return
                "It waits for its turn: as many transfers from \(host) are running as are allowed."
        case .connectionLimit:
            return "It waits for its turn: as many transfers are running as are allowed."
        case .fairShare:
            return
                "It waits for its turn: it received almost nothing, and others were waiting."
        case .starting: return "It is about to run."
        case .backoff:
            let time = wait.until.map { " at \($0.text(now: now))" } ?? " after a while"
            guard transfer.failure?.code == TransferDaemon.Transfer.oddAnswer,
                let failure = wait.detail
            else {
                return "It failed and is tried again\(time)."
            }
            return
                "It waits, as \(failure). What is here is kept; the server is asked again\(time)."
        case .expiredLink:
            let time = wait.until.map { " The old address is asked again at \($0.text(now: now))." }
            let reason = wait.detail.map { ": \($0)" } ?? ""
            return "Its link has expired\(reason). What is here is kept. "
                + "'ferry relink URL \(transfer.id)' continues it from another address."
                + (time ?? "")
        case .network: return "It waits for a network: no route leads off this machine."
        case .expensiveNetwork, .constrainedNetwork, .cellularNetwork, .battery, .powerSaver,
            .outsideHours:
            let time = wait.until.map { ", until \($0.text(now: now))" } ?? ""
            let reason = wait.detail ?? wait.reason.description
            return
                "It waits, as \(reason)\(time). 'ferry resume --now \(transfer.id)' runs it anyway."
        case .machineSleep:
            return
                "The machine is about to sleep or to shut down. It resumes afterwards."
        case .diskSpace:
            let time = wait.until.map { " It is tried again at \($0.text(now: now))." } ?? ""
            return "It waits for room on the disk.\(time)"
        case .hostFailure:
            let time = wait.until.map { ", and is asked again at \($0.text(now: now))" } ?? ""
            let reason = wait.detail ?? "\(host) has failed time and again"
            return "It waits, as \(reason)\(time)."
        case .earliestBegin:
            let time = wait.until.map { "at \($0.text(now: now))" } ?? "later"
            return "It begins \(time), as \(transfer.application) wants it."
        case .application:
            let what = wait.detail.map { " \($0)" } ?? ""
            return "It waits until \(transfer.application) has decided:\(what)."
        default:
            let time = wait.until.map { ", until \($0.text(now: now))" } ?? ""
            return "It waits: \(wait.detail ?? wait.reason.description)\(time)."
        }
    }

    private var history: String? {
        let times = transfer.attempts == 1 ? "once" : "\(transfer.attempts) times"
        if let failure = transfer.failure {
            let tried = transfer.attempts > 0 ? " It was tried again \(times)." : ""
            return "The last failure: \(failure.message) (\(failure.code)).\(tried)"
        }
        guard let reason = transfer.reasonForFailure else { return nil }
        return "The last response: \(reason.message)."
    }

    private var destination: String? {
        guard let destination = Destination(taskDescription: transfer.taskDescription) else {
            return nil
        }
        let name = destination.name ?? "the name its server gives it"
        return "Its file goes to \(destination.directory), under \(name)."
    }

    private var host: String {
        (transfer.relinkedURL ?? transfer.originalRequest.url)?.host() ?? "its host"
    }
}
