import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// A backend that carries out the tasks of a default or ephemeral session in the app's process.
///
/// Calls from any thread are passed to the event loop in order.
final class InProcessBackend: SessionBackend {
    let engine: InProcessEngine
    private let lastIdentifier = Atomic<Int>(0)

    init(configuration: URLSessionConfiguration.Values) {
        engine = InProcessEngine(configuration: configuration)
    }

    func prepareForTask() {}

    func reserveTask() -> (identifier: Int, refusal: URLError?) {
        (lastIdentifier.add(1, ordering: .relaxed).newValue, nil)
    }

    func add(_ task: URLSessionDownloadTask, _ specification: DownloadTaskSpecification) {
        LoopActor.perform { [engine] in engine.add(task, specification) }
    }

    /// Adds a new data or upload task, which is suspended.
    func add(_ task: URLSessionDataTask, _ specification: DataTaskSpecification) {
        LoopActor.perform { [engine] in engine.add(task, DataContent.Sink(task), specification) }
    }

    /// Adds a new task, which is suspended, for a resource that is not on a server.
    func addLocal(_ task: URLSessionDownloadTask, _ specification: DataTaskSpecification) {
        LoopActor.perform { [engine] in engine.add(task, .file(task, nil), specification) }
    }

    func appCaughtUp(with task: URLSessionDataTask) {
        let identifier = task.taskIdentifier
        LoopActor.perform { [engine] in engine.appCaughtUp(withTask: identifier) }
    }

    func perform(_ command: URLSessionTask.Lifecycle.Command, on task: URLSessionTask) {
        let identifier = task.taskIdentifier
        LoopActor.perform { [engine] in engine.perform(command, onTask: identifier) }
    }

    /// Does nothing: only the app's process needs the description.
    func descriptionChanged(to description: String?, of task: URLSessionTask) {}

    func priorityChanged(to priority: Float, of task: URLSessionTask) {
        let identifier = task.taskIdentifier
        LoopActor.perform { [engine] in engine.priorityChanged(ofTask: identifier) }
    }

    func transferOptionsChanged(
        to options: TransferOptions,
        for request: URLRequest?,
        of task: URLSessionTask
    ) {
        let identifier = task.taskIdentifier
        LoopActor.perform { [engine] in engine.transferOptionsChanged(ofTask: identifier) }
    }

    func relink(_ task: URLSessionDownloadTask, to request: TransferRequest) {
        let identifier = task.taskIdentifier
        LoopActor.perform { [engine] in engine.relink(task: identifier, to: request) }
    }

    func ratesChanged(receive: Int64?, send: Int64?) {
        LoopActor.perform { [engine] in
            engine.receivingLimit.bytesPerSecond = receive
            engine.sendingLimit.bytesPerSecond = send
        }
    }

    func loadTasks(of core: SessionCore, then continuation: @escaping @Sendable () -> Void) {
        continuation()
    }

    func flush(then continuation: @escaping @Sendable () -> Void) {
        LoopActor.perform { [engine] in
            engine.renewConnections()
            continuation()
        }
    }

    func close(then continuation: @escaping @Sendable () -> Void) {
        LoopActor.perform { [engine] in
            engine.shutDown()
            continuation()
        }
    }
}
