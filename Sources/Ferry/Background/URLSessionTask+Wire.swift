import FerryHTTP
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

extension URLSessionTask.Storage {
    /// The known state of a task from an earlier launch of the app.
    init(_ task: Wire.Task, session: URLSession) {
        let made = task.originalRequest.value ?? .unreadable
        let original = URLRequest(made)
        self.init(
            session: session,
            lifecycle: URLSessionTask.Lifecycle(task.state),
            counts: URLSessionTask.ByteCounts(
                received: task.receivedByteCount,
                expected: task.expectedByteCount ?? NSURLSessionTransferSizeUnknown
            ),
            originalRequest: original,
            madeFor: made.madeFor,
            currentRequest: task.currentRequest.map { URLRequest($0) } ?? original,
            response: task.response.map { LatestResponse($0) } ?? LatestResponse(),
            taskDescription: task.description,
            priority: Float(task.priority),
            earliestBeginDate: task.earliestBegin,
            transferOptions: TransferOptions(task.options)
        )
    }

    /// The state of a task that is known only from an event.
    init(_ event: Wire.Event, session: URLSession) {
        let request = event.request.map { URLRequest($0) }
        self.init(
            session: session,
            lifecycle: URLSessionTask.Lifecycle(.running),
            originalRequest: request,
            currentRequest: request
        )
    }
}

extension URLSessionTask.Lifecycle {
    /// The lifecycle of a task of an earlier launch.
    init(_ state: Wire.TaskState) {
        self.init(isSuspended: state == .suspended)
        // Its last events are on their way.
        if state == .completed { completeUnheard() }
    }
}

extension URLSessionTask {
    /// Delivers the metrics of a background session's task, before its completion.
    ///
    /// - Parameters:
    ///   - told: The metrics from the daemon.
    ///   - response: The response that the task ends with.
    ///   - hasFailed: Whether it ends with an error.
    func deliverMetrics(
        _ told: Encoded<Wire.TaskMetrics>,
        response: Encoded<Wire.Response>?,
        hasFailed: Bool
    ) {
        deliverMetrics { [self] in
            makeMetrics(told.value, response: response?.value, hasFailed: hasFailed)
        }
    }

    private func makeMetrics(
        _ told: Wire.TaskMetrics?,
        response: Wire.Response?,
        hasFailed: Bool
    ) -> URLSessionTaskMetrics {
        guard let told else {
            return URLSessionTaskMetrics(
                taskInterval: DateInterval(),
                redirectCount: 0,
                transactions: []
            )
        }
        let original = originalRequest
        let current = currentRequest ?? original
        let request = TransferRequest(
            url: current?.url?.absoluteString ?? "",
            method: current?.httpMethod ?? "GET",
            fields: (current?.headerFields ?? []).sorted { $0.name < $1.name }
        )
        let lastIndex = told.transactions.count - 1
        return URLSessionTaskMetrics(
            taskInterval: DateInterval(
                start: min(told.started, told.ended),
                end: told.ended
            ),
            redirectCount: told.redirectCount,
            transactions: told.transactions.enumerated().map { index, transaction in
                URLSessionTaskTransactionMetrics(
                    LoadTransaction(transaction, request: request, response: response),
                    originalRequest: original,
                    hasFailed: hasFailed && index == lastIndex
                )
            }
        )
    }
}

extension URLSessionDownloadTask {
    /// A task from an earlier launch of the app.
    convenience init(_ task: Wire.Task, of core: SessionCore, session: URLSession) {
        self.init(
            identifier: task.identifier,
            core: core,
            storage: Storage(task, session: session)
        )
    }

    /// A task that is known only from an event.
    convenience init(
        identifier: Int,
        of core: SessionCore,
        session: URLSession,
        _ event: Wire.Event
    ) {
        var storage = Storage(event, session: session)
        storage.counts.received = event.receivedByteCount ?? 0
        self.init(identifier: identifier, core: core, storage: storage)
    }

    private convenience init(identifier: Int, core: SessionCore, storage: Storage) {
        var storage = storage
        storage.deliveries = Deliveries(deliveredByteCount: storage.counts.received)
        self.init(
            identifier: identifier,
            core: core,
            backend: core.backend,
            recipient: .delegate,
            storage: storage
        )
    }
}
