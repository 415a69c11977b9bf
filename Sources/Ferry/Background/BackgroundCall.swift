import FerrySystem
import FerryWire
import Foundation

/// Something that a background session asks of the daemon, and repeats until it is acknowledged.
///
/// Each of them changes nothing when it is repeated.
enum BackgroundCall: Equatable, Sendable {
    case create(task: Int, Wire.Request, resumeData: Data?, priority: Float)
    case resume(task: Int)
    case suspend(task: Int)
    case cancel(task: Int, producingResumeData: Bool)
    case setDescription(task: Int, String?)
    case setPriority(task: Int, Float)
    case acknowledge(sequence: Int64)
    case close(cancelling: Bool)

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
        func send<Method: TransferMethod>(_ method: Method) {
            client.call(method) { onReply($0.failure) }
        }
        switch self {
        case .create(let task, let request, let resumeData, let priority):
            send(
                Wire.CreateDownload(
                    session: session,
                    identifier: task,
                    request: request,
                    resumeData: resumeData,
                    priority: Double(priority)
                )
            )
        case .resume(let task):
            send(Wire.Resume(session: session, identifier: task))
        case .suspend(let task):
            send(Wire.Suspend(session: session, identifier: task))
        case .cancel(let task, producingResumeData: false):
            send(Wire.Cancel(session: session, identifier: task))
        case .cancel(let task, producingResumeData: true):
            // The data come with the task's last event, too, which outlives a lost connection.
            send(Wire.CancelProducingResumeData(session: session, identifier: task))
        case .setDescription(let task, let description):
            send(
                Wire.SetDescription(session: session, identifier: task, description: description)
            )
        case .setPriority(let task, let priority):
            send(Wire.SetPriority(session: session, identifier: task, priority: Double(priority)))
        case .acknowledge(let sequence):
            send(Wire.Acknowledge(session: session, sequence: sequence))
        case .close(let cancelling):
            send(Wire.CloseSession(session: session, cancel: cancelling))
        }
    }
}
