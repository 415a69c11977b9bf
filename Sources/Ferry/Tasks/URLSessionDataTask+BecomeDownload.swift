import Foundation
import Synchronization

extension URLSessionDataTask {
    /// Replaces this task in the session with a download task, and notifies the delegate.
    ///
    /// - Returns: The running download task.
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
            // The download's messages follow this one, on any queue.
            wasTold: { download.tellHeldMessages() }
        )
        return download
    }
}

extension URLSessionDownloadTask {
    /// Delivers the messages that had to wait for those of the data task.
    fileprivate func tellHeldMessages() {
        if storage.withLock({ $0.deliveries.wasTold() }) { core.delegateCalls.enqueue(self) }
    }
}
