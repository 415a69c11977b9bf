import FerrySystem
import Foundation
import FoundationNetworking
import Synchronization

/// An app's class that can load a request.
struct ProtocolClass: @unchecked Sendable {
    // @unchecked because a metatype is never changed.
    let type: FoundationNetworking.URLProtocol.Type

    /// The queue on which classes are asked when no caller waits for the answer: not the loop, because they may block.
    static let queue = BlockingQueue(label: "ferry.classes")

    /// The first of a session's classes that says it can load a task.
    init?(for task: URLSessionTask, configuration: URLSessionConfiguration.Values) {
        guard let request = task.currentRequest else { return nil }
        let type = configuration.protocolTypes.first { type in
            guard let own = type as? URLProtocol.Type else { return type.canInit(with: request) }
            return own.canInit(with: task)
        }
        guard let type else { return nil }
        self.type = type
    }
}

extension ProtocolClass {
    /// The registered classes, in the order in which they are asked: the latest first.
    private static let list = Mutex<[ProtocolClass]>([])

    private init(type: FoundationNetworking.URLProtocol.Type) { self.type = type }

    /// The registered classes, in the order in which they are asked.
    static var registered: [AnyClass] { list.withLock { $0 }.map(\.type) }

    /// Puts a class before all that are registered.
    static func register(_ type: FoundationNetworking.URLProtocol.Type) {
        list.withLock { list in
            list.removeAll { $0.type == type }
            list.insert(ProtocolClass(type: type), at: 0)
        }
    }

    static func unregister(_ type: AnyClass) {
        list.withLock { list in list.removeAll { $0.type == type } }
    }
}

extension URLSessionConfiguration.Values {
    /// The classes that are asked whether they can load a task.
    var protocolTypes: [FoundationNetworking.URLProtocol.Type] {
        let registered = asksRegisteredClasses ? ProtocolClass.registered : []
        return ((protocolClasses.value ?? []) + registered).compactMap {
            $0 as? FoundationNetworking.URLProtocol.Type
        }
    }
}

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
        stored: KeptResponse?,
        client: ProtocolClient
    ) {
        queue.perform { [self] in
            let canonical = type.type.canonicalRequest(for: request)
            let object = type.type.init(
                request: canonical,
                cachedResponse: stored?.response,
                client: client
            )
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
