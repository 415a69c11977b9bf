import FerrySystem
import Foundation
import FoundationNetworking

/// An object of one of the app's protocol classes, which lives on a thread of its own.
final class ProtocolInstance: @unchecked Sendable {
    // @unchecked because the object is touched on the queue's thread alone.
    private var object: FoundationNetworking.URLProtocol?
    private let queue = BlockingQueue(label: "ferry.protocol")

    /// Makes the object and starts it.
    func start(
        _ type: ProtocolClass,
        _ request: URLRequest,
        of task: URLSessionTask,
        client: ProtocolClient
    ) {
        queue.perform { [self] in
            let canonical = type.type.canonicalRequest(for: request)
            let object = type.type.init(request: canonical, cachedResponse: nil, client: client)
            (object as? URLProtocol)?.begin(task)
            self.object = object
            object.startLoading()
        }
    }

    /// Stops the object and releases it.
    func stop() {
        queue.perform { [self] in
            object?.stopLoading()
            object = nil
        }
    }
}
