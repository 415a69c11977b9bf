import FerrySystem
import FerryTransfer
import Foundation
import Synchronization

/// Equal downloads that are under way at once are loaded once.
extension InProcessDownload {
    /// Joins a load, or makes one that others can join.
    ///
    /// - Returns: Whether there is one already, so that the task needs no connection.
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

    /// Who has bytes goes on where it was; a delegate of the task's own hears of the task's own requests.
    private var mayShare: Bool {
        specification.resumption == nil && checkpoint == nil && !isAlone
            && task.storage.withLock { $0.delegate == nil }
    }

    /// Makes what brings the answer, together with the others' if there are any.
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

    /// The others are on their own, if they waited for this one.
    func leaveShare() {
        if isFirst { share?.firstLeaves() }
        isFirst = false
    }

    /// The connection stays with those that still want the answer.
    func giveConnectionBack() {
        guard let heir = share?.heir else { return engine.giveConnectionBack(of: self) }
        heir.inheritConnection()
    }
}
