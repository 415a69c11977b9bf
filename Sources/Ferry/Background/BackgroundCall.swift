import FerrySystem
import FerryWire
import Foundation

/// A call from a background session to the daemon, repeated until it is acknowledged.
///
/// Repeating a call changes nothing.
enum BackgroundCall: Equatable, Sendable {
    // Indirect because calls are copied on their way, and this one has many parts.
    indirect case create(NewTask)
    case resume(task: Int)
    case suspend(task: Int)
    case cancel(task: Int, producingResumeData: Bool)
    case setDescription(task: Int, String?)
    case setPriority(task: Int, Float)
    case setEarliestBegin(task: Int, Wire.EarliestBegin?)
    case setOptions(task: Int, Wire.TransferOptions?)
    case setRates(receive: Int64?, send: Int64?)
    case begin(task: Int, question: Int, Wire.Request?)
    case relink(task: Int, question: Int?, Wire.Request?)
    case answerChallenge(Wire.AnswerChallenge)
    case acknowledge(sequence: Int64, others: [Int64] = [], files: [Wire.SavedFile] = [])
    case close(cancelling: Bool)

    /// A task to create, as its application wants it to begin.
    struct NewTask: Equatable, Sendable {
        var identifier: Int
        var request: Wire.Request
        var resumeData: Data?
        /// The file to send; nil for a download.
        var upload: Upload?
        var description: String?
        var priority = URLSessionTask.defaultPriority
        /// The time before which it does not begin.
        var earliestBegin: Wire.EarliestBegin?
        /// How it is carried out.
        var options: Wire.TransferOptions?
        /// Whether it may run at once.
        var isResumed = false
    }

    /// A file to send.
    struct Upload: Equatable, Sendable {
        /// The file, which is passed to the daemon once it is open.
        var file: OutgoingFile
        /// The file's absolute path.
        var path: String

        static func == (one: Upload, other: Upload) -> Bool {
            one.file === other.file && one.path == other.path
        }
    }

    /// Whether the next call is likely to be included in this one: it creates a task that its application may still
    /// change or resume, or acknowledges events, which come together.
    var isIncomplete: Bool {
        switch self {
        case .create(let task): !task.isResumed
        case .acknowledge(_, let others, _): others.count < Self.otherEventLimit
        default: false
        }
    }

    /// The maximum number of events that are acknowledged together, besides the first.
    private static let otherEventLimit = 255

    /// The task that the call is about, if it is about one.
    var task: Int? {
        switch self {
        case .create(let task): task.identifier
        case .answerChallenge(let answer): answer.identifier
        case .resume(let task), .suspend(let task), .cancel(let task, _),
            .setDescription(let task, _), .setPriority(let task, _),
            .setEarliestBegin(let task, _), .setOptions(let task, _), .begin(let task, _, _),
            .relink(let task, _, _):
            task
        case .setRates, .acknowledge, .close: nil
        }
    }

    /// The file that is sent with the call, if any.
    var file: OutgoingFile? {
        guard case .create(let task) = self else { return nil }
        return task.upload?.file
    }

    /// Includes the effect of the next call in this one, if possible.
    ///
    /// - Returns: Whether the other call is no longer needed.
    mutating func absorb(_ next: BackgroundCall) -> Bool {
        guard isIncomplete else { return false }
        if case .acknowledge(let first, let others, let files) = self {
            guard case .acknowledge(let sequence, let more, let moreFiles) = next else {
                return false
            }
            self = .acknowledge(
                sequence: first,
                others: others + [sequence] + more,
                files: files + moreFiles
            )
            return true
        }
        guard case .create(var task) = self else { return false }
        switch next {
        case .resume(task.identifier): task.isResumed = true
        case .setDescription(task.identifier, let description): task.description = description
        case .setPriority(task.identifier, let priority): task.priority = priority
        case .setEarliestBegin(task.identifier, let begin): task.earliestBegin = begin
        case .setOptions(task.identifier, let options): task.options = options
        default: return false
        }
        self = .create(task)
        return true
    }

    /// Sends the call.
    ///
    /// - Parameters:
    ///   - client: The connection.
    ///   - session: The number that the session has there.
    ///   - onReply: Called on the loop, later.
    func send(
        over client: VarlinkClient,
        session: Int64,
        onReply: @escaping @LoopActor @Sendable (CallError?) -> Void
    ) {
        func send<Method: TransferMethod>(_ method: Method, file: UserFile? = nil) {
            client.call(method, file: file) { onReply($0.failure) }
        }
        switch self {
        case .create(let task):
            if let upload = task.upload {
                return send(
                    Wire.CreateUpload(task, upload, session: session),
                    file: upload.file.opened
                )
            }
            send(
                Wire.CreateDownload(
                    session: session,
                    identifier: task.identifier,
                    request: task.request,
                    resumeData: task.resumeData,
                    description: task.description,
                    priority: Double(task.priority),
                    resumed: task.isResumed ? true : nil,
                    earliestBegin: task.earliestBegin,
                    options: task.options
                )
            )
        case .resume(let task):
            send(Wire.Resume(session: session, identifier: task))
        case .suspend(let task):
            send(Wire.Suspend(session: session, identifier: task))
        case .cancel(let task, producingResumeData: false):
            send(Wire.Cancel(session: session, identifier: task))
        case .cancel(let task, producingResumeData: true):
            // The data also arrive with the task's last event, which survives a lost connection.
            send(Wire.CancelProducingResumeData(session: session, identifier: task))
        case .setDescription(let task, let description):
            send(
                Wire.SetDescription(session: session, identifier: task, description: description)
            )
        case .setPriority(let task, let priority):
            send(Wire.SetPriority(session: session, identifier: task, priority: Double(priority)))
        case .setEarliestBegin(let task, let begin):
            send(
                Wire.SetEarliestBegin(session: session, identifier: task, earliestBegin: begin)
            )
        case .setOptions(let task, let options):
            send(Wire.SetOptions(session: session, identifier: task, options: options))
        case .setRates(let receiving, let sending):
            send(
                Wire.SetSessionRates(
                    session: session,
                    receiveRate: receiving,
                    sendRate: sending
                )
            )
        case .begin(let task, let question, let request):
            send(
                Wire.Begin(
                    session: session,
                    identifier: task,
                    question: question,
                    request: request
                )
            )
        case .relink(let task, let question, let request):
            send(
                Wire.Relink(
                    session: session,
                    identifier: task,
                    question: question,
                    request: request
                )
            )
        case .answerChallenge(var answer):
            answer.session = session
            send(answer)
        case .acknowledge(let sequence, let others, let files):
            send(
                Wire.Acknowledge(
                    session: session,
                    sequence: sequence,
                    otherSequences: others.isEmpty ? nil : others,
                    savedFiles: files.isEmpty ? nil : files
                )
            )
        case .close(let cancelling):
            send(Wire.CloseSession(session: session, cancel: cancelling))
        }
    }
}

extension Wire.CreateUpload {
    fileprivate init(
        _ task: BackgroundCall.NewTask,
        _ upload: BackgroundCall.Upload,
        session: Int64
    ) {
        self.init(
            session: session,
            identifier: task.identifier,
            request: task.request,
            path: upload.path,
            resumeData: task.resumeData,
            description: task.description,
            priority: Double(task.priority),
            resumed: task.isResumed ? true : nil,
            earliestBegin: task.earliestBegin,
            options: task.options
        )
    }
}

extension BackgroundCall {
    /// The consequence of the daemon's answer to a call.
    enum Consequence {
        case done
        case refused(TransferDaemonError)
        /// The call is repeated, with all after it, on another connection; endlessly, unless the call itself
        /// makes the daemon fail.
        case reconnect(isEndless: Bool)
        /// The connection is lost, which is handled where that is noticed.
        case none
    }

    /// Returns the consequence of an answer.
    ///
    /// - Parameter error: Why the call was not carried out; nil if it was.
    /// - Returns: What to do with the call.
    func consequence(of error: CallError?) -> Consequence {
        switch error {
        case nil: .done
        case .refused(let refusal): consequence(of: refusal)
        case .connectionClosed, .invalidReply: .none
        case .some(let error): .refused(TransferDaemonError(error))
        }
    }

    /// Returns the consequence of a refusal, as docs/decisions/descriptors.md has them in a table.
    private func consequence(of refusal: TransferInterfaceError) -> Consequence {
        let error = TransferDaemonError(.refused(refusal))
        switch refusal {
        case .taskNotFound:
            // It has ended in the meantime.
            return .done
        case .sessionNotOpen, .resourceUnavailable:
            return .reconnect(isEndless: true)
        case .storeUnavailable, .internalFailure:
            // A task that does not exist yet can fail; a call about an existing task must not be lost.
            if case .create = self { return .refused(error) }
            // A full disk will have space again.
            if case .storeUnavailable = refusal { return .reconnect(isEndless: true) }
            return .reconnect(isEndless: false)
        case .sessionInUse, .applicationNotFound, .invalidRequest, .timetableUnavailable,
            .limitExceeded, .permissionDenied:
            return .refused(error)
        }
    }
}
