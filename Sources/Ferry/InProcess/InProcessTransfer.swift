import FerryHTTP
import FerrySystem

/// What carries out one task of a default or ephemeral session, on the event loop.
@LoopActor
protocol InProcessTransfer: AnyObject {
    /// The task's number.
    nonisolated var identifier: Int { get }
    /// The task's weight among those that wait for a connection.
    var priority: Float { get }
    /// What decides for the task about its requests.
    var decider: TaskDecider { get }
    /// What connections are counted by.
    var host: String { get }
    /// Where the task stands in line, if it does.
    var place: WaitingLine.Place? { get set }
    /// What the latest requests were sent with.
    var client: HTTPClient? { get }

    func resume()
    func suspend()
    func cancel(producingResumeData: Bool)
    /// There is a connection to be had.
    func admitted()
}
