import Foundation
import Synchronization

extension URLSessionDataTask {
    /// Makes this task a download task, which takes its place in the session, and tells the delegate so.
    ///
    /// - Returns: The download task, which runs.
    func becomeDownload() -> URLSessionDownloadTask {
        let inherited = storage.withLock { storage in
            var inherited = storage
            inherited.deliveries = .held
            inherited.progress = nil
            storage.lifecycle.complete()
            return inherited
        }
        let download = URLSessionDownloadTask(
            identifier: taskIdentifier,
            core: core,
            backend: backend,
            recipient: .delegate,
            storage: inherited
        )
        core.replaceTask(with: download)
        deliver(
            .call { [self] session in
                tell(.becameDownload) { (delegate: any URLSessionDataDelegate) in
                    delegate.urlSession(session, dataTask: self, didBecome: download)
                }
                letGo()
            },
            // The download's messages come after this one, on whatever queue.
            wasTold: { download.tellHeldMessages() }
        )
        return download
    }
}

extension URLSessionDownloadTask {
    /// Tells what has gathered while the messages of the data task came first.
    fileprivate func tellHeldMessages() {
        if storage.withLock({ $0.deliveries.wasTold() }) { core.delegateCalls.enqueue(self) }
    }
}
