import Foundation
import FoundationNetworking
import Synchronization

extension SessionCore {
    /// Makes a WebSocket task and notifies the delegate.
    func makeWebSocketTask(
        for request: URLRequest,
        protocols: [String],
        of session: URLSession
    ) -> URLSessionWebSocketTask {
        guard let engine = (backend as? InProcessBackend)?.engine else {
            preconditionFailure("WebSocket tasks are not supported in background sessions.")
        }
        let specification = Result { () throws(URLError) in
            if case .failure(let error) = engine.ownIdentity {
                throw URLError(error, url: request.url)
            }
            return try WebSocketTaskSpecification(
                request,
                protocols: protocols,
                configuration: configuration
            )
        }
        let handle = handle ?? session
        let task = state.withLock { state in
            precondition(
                state.condition == .active,
                "Attempted to create a task in a session that has been invalidated."
            )
            let task = URLSessionWebSocketTask(
                identifier: backend.reserveTask().identifier,
                core: self,
                socket: InProcessWebSocket(specification, engine),
                storage: URLSessionTask.Storage(
                    session: handle,
                    originalRequest: request,
                    currentRequest: request.completed(by: configuration)
                )
            )
            state.tasks[task.taskIdentifier] = task
            return task
        }
        tellCreated(task, of: handle)
        return task
    }
}
