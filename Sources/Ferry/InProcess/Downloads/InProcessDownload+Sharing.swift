import FerrySystem
import FerryTransfer
import Foundation
import Synchronization

/// The sharing of equal downloads that run at the same time.
extension InProcessDownload {
    /// Joins a load, or makes one that other downloads can join.
    ///
    /// - Returns: Whether the download joined an existing load, so that the task needs no connection.
    func joinShare() -> Bool {
        share = nil
        isFirst = false
        guard mayShare, let original = task.originalRequest,
            let identity = RequestIdentity(
                specification.request,
                of: original,
                configuration: engine.configuration
            )
        else { return false }
        let (share, isNew) = engine.downloadShare(for: identity, first: self)
        self.share = share
        isFirst = isNew
        return !isNew
    }

    /// A download with bytes continues from them; a task with a delegate of its own makes its own requests.
    private var mayShare: Bool {
        specification.resumption == nil && checkpoint == nil && !isAlone
            && task.storage.withLock { $0.delegate == nil }
    }

    /// Makes the source of the response, shared with other downloads if there are any.
    var sharing: Download.Sharing? {
        guard let share else { return nil }
        return { [self] receiver, makeLoad in
            DownloadShare.Part(
                of: share,
                for: self,
                receiver: receiver,
                makeLoad: isFirst ? makeLoad : nil
            )
        }
    }

    /// Releases the other downloads if they waited for this one.
    func leaveShare() {
        if isFirst { share?.firstLeaves() }
        isFirst = false
    }

    /// Passes the connection to a download that still wants the response, or gives it back.
    func giveConnectionBack() {
        guard let heir = share?.heir else { return engine.giveConnectionBack(of: self) }
        heir.inheritConnection()
    }
}
