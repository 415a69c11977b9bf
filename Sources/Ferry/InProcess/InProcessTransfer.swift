import FerryHTTP
import FerrySystem

/// A transfer that carries out one task of a default or ephemeral session, on the event loop.
@LoopActor
protocol InProcessTransfer: AnyObject {
    /// The task's identifier.
    nonisolated var identifier: Int { get }
    /// The task's priority among those that wait for a connection.
    var priority: Float { get }
    /// The decider about the task's requests.
    var decider: TaskDecider { get }
    /// The host for which connections are counted.
    var host: String { get }
    /// Where the task stands in line, if it does.
    var place: WaitingLine.Place? { get set }
    /// The client that sent the latest requests.
    var client: HTTPClient? { get }

    func resume()
    func suspend()
    func cancel(producingResumeData: Bool)
    /// A connection is available.
    func admitted()
}
