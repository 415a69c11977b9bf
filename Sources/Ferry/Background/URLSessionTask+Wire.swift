import FerryHTTP
import FerryWire
import Foundation
import FoundationNetworking

extension URLSessionTask.Storage {
    /// The known state of a task from an earlier launch of the app.
    init(_ task: Wire.Task, session: URLSession) {
        let original = URLRequest(task.originalRequest)
        self.init(
            session: session,
            lifecycle: URLSessionTask.Lifecycle(task.state),
            counts: URLSessionTask.ByteCounts(
                received: task.receivedByteCount,
                expected: task.expectedByteCount ?? NSURLSessionTransferSizeUnknown
            ),
            originalRequest: original,
            madeFor: task.originalRequest.madeFor,
            currentRequest: task.currentRequest.map { URLRequest($0) } ?? original,
            response: LatestResponse(task.response.map { HTTPResponseHead($0) }),
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
