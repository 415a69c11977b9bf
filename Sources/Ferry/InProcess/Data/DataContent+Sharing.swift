import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// The sharing of equal requests that run at the same time.
extension DataContent {
    func join() -> Bool {
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
            released: { self.transfer?.released() }
        )
        return !isNew
    }

    /// Leaves a shared request that has not been answered yet, or has the others leave it.
    func leave(isSharing: Bool) -> Bool {
        guard let shared = loader as? SharedLoader, shared.isJoinable else { return false }
        guard isSharing || !shared.hasStarted else {
            shared.releaseOthers()
            return false
        }
        return true
    }

    /// A task with a delegate of its own makes its own requests.
    private var canShare: Bool {
        switch sink {
        // An app that reads bytes one by one may pause for any length of time.
        case .file, .bytes: return false
        case .delegate, .memory: break
        }
        return !isAlone && task.storage.withLock { $0.delegate == nil }
    }
}
