import FerryHTTP
import FerrySystem
import FerryTransfer

extension DownloadShare {
    /// A download's part in a load that it shares with others.
    @LoopActor
    final class Part: AnswerSource {
        /// The task's download, which may get another connection in place of this.
        let download: InProcessDownload
        /// What the receiver wants of the rest.
        private(set) var disposition = HTTPBodyDisposition.deliver
        private let share: DownloadShare
        private var receiver: (any LoadReceiver)?
        /// Makes the load; nil for those that join.
        private var makeLoad: Download.LoadMaker?

        init(
            of share: DownloadShare,
            for download: InProcessDownload,
            receiver: any LoadReceiver,
            makeLoad: Download.LoadMaker?
        ) {
            self.share = share
            self.download = download
            self.receiver = receiver
            self.makeLoad = makeLoad
        }

        func start() {
            share.add(self)
            if let makeLoad { share.begin(makeLoad) }
            makeLoad = nil
        }

        func cancel() {
            receiver = nil
            share.remove(self)
        }

        /// Whether other tasks write the same answer to files of theirs.
        var isShared: Bool { share.isShared }

        func brings(_ load: Load) -> Bool { receiver != nil }

        /// The answer is not going to be this one's.
        func release() {
            guard receiver != nil else { return }
            receiver = nil
            download.released()
        }

        /// Hears of a part of the answer, unless it wants no more of it.
        func hear(_ tell: (any LoadReceiver) -> HTTPBodyDisposition) {
            guard let receiver, disposition == .deliver || disposition == .deliverInPipes else {
                return
            }
            disposition = tell(receiver)
        }

        /// The answer is complete, or something has gone wrong.
        func finish(_ load: Load, _ error: TransferError?, decider: TaskDecider) {
            if decider !== download.decider { download.decider.share(decider) }
            receiver?.load(load, didFinishWith: error)
            receiver = nil
        }
    }
}
