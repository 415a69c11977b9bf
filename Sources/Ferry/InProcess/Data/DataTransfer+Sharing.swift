import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// Equal requests that are under way at once are one.
extension DataTransfer {
    /// Joins a request, or makes one that others can join.
    ///
    /// - Returns: Whether there is one already, so that the task needs no connection.
    func joinSharedLoad() -> Bool {
        guard canShare, case .http(let request) = specification.resource,
            specification.body.isInRequest,
            let identity = RequestIdentity(
                request,
                of: specification.request,
                configuration: engine.configuration
            )
        else { return false }
        let (shared, isNew) = engine.sharedLoad(for: identity)
        loader = SharedLoader(
            shared,
            isFirst: isNew,
            decider: decider,
            receiver: self,
            makeSource: { receiver throws(URLError) in
                let source = try self.makeHTTPLoader(request, .plain(.none), for: receiver)
                shared.client = self.ownClient
                return source
            },
            released: { self.released() }
        )
        return !isNew
    }

    /// Leaves the others alone with a request that has not been answered yet.
    ///
    /// - Parameter isSharing: Whether the request is another task's.
    /// - Returns: Whether the task has nothing to do with it any more.
    func leaveSharedLoad(isSharing: Bool) -> Bool {
        guard let shared = loader as? SharedLoader, shared.isJoinable else { return false }
        guard isSharing || !shared.hasStarted else {
            shared.releaseOthers()
            return false
        }
        shared.cancel()
        loader = nil
        return true
    }

    /// A delegate of the task's own hears of the task's own requests.
    private var canShare: Bool {
        switch sink {
        // An app that reads bytes one by one may let them wait for as long as it likes.
        case .file, .bytes: return false
        case .delegate, .memory: break
        }
        return !isAlone && task.storage.withLock { $0.delegate == nil }
    }
}
