import FerryHTTP
import FerrySystem
import FerryTransfer

extension DownloadShare {
    /// A download's part in a load that it shares with other downloads.
    @LoopActor
    final class Part: AnswerSource {
        /// The task's download, which may get another connection in place of this.
        let download: DownloadContent
        /// How the receiver wants the rest to be handled.
        private(set) var disposition = HTTPBodyDisposition.deliver
        private let share: DownloadShare
        private var receiver: (any LoadReceiver)?
        /// Makes the load; nil for a part that joins.
        private var makeLoad: Download.LoadMaker?

        init(
            of share: DownloadShare,
            for download: DownloadContent,
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

        /// Whether other tasks write the same response to their own files.
        var isShared: Bool { share.isShared }

        func brings(_ load: Load) -> Bool { receiver != nil }

        /// Releases this part, which does not get the response.
        func release() {
            guard receiver != nil else { return }
            receiver = nil
            download.transfer?.released()
        }

        /// Passes a part of the response to the receiver, unless it wants no more.
        func hear(_ tell: (any LoadReceiver) -> HTTPBodyDisposition) {
            guard let receiver, disposition == .deliver || disposition == .deliverInPipes else {
                return
            }
            disposition = tell(receiver)
        }

        /// Reports that the response is complete or has failed.
        func finish(_ load: Load, _ error: TransferError?, decider: TaskDecider) {
            if decider !== download.decider { download.decider.share(decider) }
            receiver?.load(load, didFinishWith: error)
            receiver = nil
        }
    }
}
