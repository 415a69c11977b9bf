import FerrySystem
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking
import Synchronization

/// Carries out the tasks of a background session with the transfer daemon.
final class BackgroundBackend: SessionBackend {
    let connection: BackgroundConnection
    private let opening: @Sendable () -> Wire.OpenSession
    private let events: Mutex<Events?> = Mutex(nil)

    private struct Events {
        let subscription: BackgroundSubscription
        let loader: BackgroundTaskLoader
    }

    init(environment: BackgroundConnection.Environment) {
        connection = BackgroundConnection(environment: environment)
        opening = environment.opening
    }

    /// Opens the session and begins to receive its events.
    ///
    /// - Parameters:
    ///   - core: The session, whose handle is known.
    ///   - reportsEnd: Whether this process was started for the events of this session.
    func start(_ core: SessionCore, reportsEnd: Bool) {
        let opening = opening()
        let loader = BackgroundTaskLoader(
            connection: connection,
            application: opening.application.identifier,
            session: opening.identifier,
            core: core
        )
        let subscription = BackgroundSubscription(
            core: core,
            connection: connection,
            loader: loader,
            reportsEnd: reportsEnd
        )
        events.withLock { $0 = Events(subscription: subscription, loader: loader) }
        connection.start(
            BackgroundConnection.Observer(
                didOpen: {
                    core.unread?.forgetFailure()
                    subscription.begin($0)
                },
                isReady: { loader.connectionDidOpen() },
                didFail: { [connection] error, bound in
                    subscription.end()
                    // Otherwise it is tried again already: who waits gets the result of that.
                    if connection.hasFailed {
                        core.unread?.fail(error)
                        loader.connectionDidFail()
                    }
                    for task in core.tasks
                    where task.backend === core.backend && task.taskIdentifier < bound {
                        task.deliver(.completed(error: error))
                    }
                },
                wantsConnection: { core.awaitsEvents || !loader.isDone }
            ),
            isAwaited: reportsEnd
        )
    }

    func prepareForTask() { connection.prepareForTask() }

    func reserveTask() -> (identifier: Int, refusal: URLError?) { connection.reserveTask() }

    func add(_ task: URLSessionDownloadTask, _ specification: DownloadTaskSpecification) {
        let call = BackgroundCall.create(
            BackgroundCall.NewTask(
                identifier: task.taskIdentifier,
                request: Wire.Request(specification.request),
                resumeData: specification.resumption?.blob,
                description: task.taskDescription,
                options: Wire.TransferOptions(task.transferOptions, for: task.originalRequest)
            )
        )
        connection.call(call) { error in
            task.deliver(.completed(error: URLError(error, url: task.originalRequest?.url)))
        }
    }

    /// Adds a new task, which is suspended, for a file that is open already.
    func add(_ task: URLSessionUploadTask, _ specification: UploadTaskSpecification) {
        let call = BackgroundCall.create(
            BackgroundCall.NewTask(
                identifier: task.taskIdentifier,
                request: Wire.Request(specification.request),
                resumeData: specification.resumeData,
                upload: BackgroundCall.Upload(
                    file: specification.file,
                    path: specification.file.path
                ),
                options: Wire.TransferOptions(task.transferOptions, for: task.originalRequest)
            )
        )
        connection.call(call) { [file = specification.file] error in
            let failure = file.failure ?? URLError(error, url: task.originalRequest?.url)
            task.deliver(.completed(error: failure))
        }
    }

    func perform(_ command: URLSessionTask.Lifecycle.Command, on task: URLSessionTask) {
        let identifier = task.taskIdentifier
        switch command {
        case .resume: connection.call(.resume(task: identifier))
        case .suspend: connection.call(.suspend(task: identifier))
        case .cancel: connection.call(.cancel(task: identifier, producingResumeData: false))
        case .cancelProducingResumeData:
            connection.call(.cancel(task: identifier, producingResumeData: true))
        }
    }

    func descriptionChanged(to description: String?, of task: URLSessionTask) {
        connection.call(.setDescription(task: task.taskIdentifier, description))
    }

    func priorityChanged(to priority: Float, of task: URLSessionTask) {
        connection.call(.setPriority(task: task.taskIdentifier, priority))
    }

    func earliestBeginDateChanged(to date: Date?, of task: URLSessionTask) {
        let asks = DelegateForms.mayAnswer(.delayedRequest, task.core.delegate)
        let begin = date.map { Wire.EarliestBegin(date: $0, asks: asks) }
        connection.call(.setEarliestBegin(task: task.taskIdentifier, begin))
    }

    func transferOptionsChanged(
        to options: TransferOptions,
        for request: URLRequest?,
        of task: URLSessionTask
    ) {
        let call = BackgroundCall.setOptions(
            task: task.taskIdentifier,
            Wire.TransferOptions(options, for: request)
        )
        connection.call(call)
    }

    func relink(_ task: URLSessionDownloadTask, to request: TransferRequest) {
        task.recordRequest(request)
        connection.call(
            .relink(task: task.taskIdentifier, question: nil, Wire.Request(request))
        )
    }

    func ratesChanged(receive: Int64?, send: Int64?) {
        connection.call(.setRates(receive: receive, send: send))
    }

    func loadTasks(of core: SessionCore, then continuation: @escaping @Sendable () -> Void) {
        guard let loader = events.withLock({ $0?.loader }) else { return continuation() }
        LoopActor.perform { loader.load(then: continuation) }
    }

    /// Whether there is an object for each task of earlier launches.
    var knowsAllTasks: Bool { events.withLock { $0?.loader.isDone ?? false } }

    func flush(then continuation: @escaping @Sendable () -> Void) {
        connection.flush(then: continuation)
    }

    func close(then continuation: @escaping @Sendable () -> Void) {
        connection.close {
            let subscription = self.events.withLock { events in
                defer { events = nil }
                return events?.subscription
            }
            LoopActor.perform {
                subscription?.end()
                continuation()
            }
        }
    }
}
