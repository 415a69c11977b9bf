import FerryHTTP
import FerryWire
import Foundation
import FoundationNetworking

extension URLSessionDownloadTask {
    /// A task that an earlier launch of the app has made.
    convenience init(_ task: Wire.Task, of core: SessionCore, session: URLSession) {
        let original = URLRequest(task.originalRequest)
        self.init(
            identifier: task.identifier,
            core: core,
            backend: core.backend,
            recipient: .delegate,
            storage: Storage(
                session: session,
                lifecycle: Lifecycle(task.state),
                deliveries: Deliveries(toldByteCount: task.receivedByteCount),
                counts: ByteCounts(
                    received: task.receivedByteCount,
                    expected: task.expectedByteCount ?? NSURLSessionTransferSizeUnknown
                ),
                originalRequest: original,
                currentRequest: task.currentRequest.map { URLRequest($0) } ?? original,
                response: LatestResponse(task.response.map { HTTPResponseHead($0) }),
                taskDescription: task.description,
                priority: Float(task.priority)
            )
        )
    }

    /// A task of which nothing is known but an event.
    convenience init(
        identifier: Int,
        of core: SessionCore,
        session: URLSession,
        _ event: Wire.Event
    ) {
        let request = event.request.map { URLRequest($0) }
        let received = event.receivedByteCount ?? 0
        self.init(
            identifier: identifier,
            core: core,
            backend: core.backend,
            recipient: .delegate,
            storage: Storage(
                session: session,
                lifecycle: Lifecycle(.running),
                deliveries: Deliveries(toldByteCount: received),
                counts: ByteCounts(received: received),
                originalRequest: request,
                currentRequest: request
            )
        )
    }
}

extension URLSessionTask.Lifecycle {
    /// The lifecycle of a task of an earlier launch.
    init(_ state: Wire.TaskState) {
        self.init(isSuspended: state == .suspended)
        // Its last events are on their way.
        if state == .completed { complete() }
    }
}
