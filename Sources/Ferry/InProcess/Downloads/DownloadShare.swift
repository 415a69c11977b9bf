import FerryHTTP
import FerrySystem
import FerryTransfer

/// The shared request of several downloads, each of which writes a file of its own.
///
/// A download that leaves after the response has begun, temporarily or permanently, has a file to resume from and delays
/// no other download.
@LoopActor
final class DownloadShare: SharedRequest {
    private var parts: [Part] = []
    private let first: DownloadContent
    private var load: Load?
    private let close: @LoopActor () -> Void
    private(set) var isJoinable = true

    /// - Parameters:
    ///   - first: The download that makes the load.
    ///   - close: Called when downloads can no longer join.
    init(first: DownloadContent, close: @escaping @LoopActor () -> Void) {
        self.first = first
        self.close = close
    }

    /// The download that inherits the load's connection when its owner no longer wants the response.
    var heir: DownloadContent? { load == nil ? nil : parts.first?.download }

    /// Whether several downloads get the response.
    var isShared: Bool { parts.count > 1 }

    /// Adds a download, or releases it if it is too late to join.
    func add(_ part: Part) {
        guard isJoinable else {
            // Never from inside the download's call.
            return LoopActor.perform { part.release() }
        }
        parts.append(part)
    }

    /// Starts the load of the first download.
    func begin(_ makeLoad: Download.LoadMaker) {
        first.decider.sharedRequest = self
        let load = makeLoad(self)
        self.load = load
        load.start()
    }

    /// Removes a download that no longer wants the response.
    func remove(_ part: Part) {
        parts.removeAll { $0 === part }
        if parts.isEmpty { endLoad() }
    }

    /// Releases the others if the first download leaves before there is a response.
    func firstLeaves() {
        guard isJoinable else { return }
        endLoad()
        releaseFollowers()
    }

    func releaseFollowers() {
        guard isJoinable else { return }
        end()
        let followers = parts.filter { $0.download !== first }
        parts.removeAll { $0.download !== first }
        for follower in followers { follower.release() }
    }

    private func endLoad() {
        load?.cancel()
        load = nil
    }

    private func end() {
        guard isJoinable else { return }
        isJoinable = false
        close()
    }
}

extension DownloadShare: LoadReceiver {
    func load(
        _ load: Load,
        didReceive head: HTTPResponseHead,
        to request: TransferRequest
    ) -> HTTPBodyDisposition {
        if isShared, head.isForOneRequest { releaseFollowers() }
        end()
        return notifyParts { $0.load(load, didReceive: head, to: request) }
    }

    func load(_ load: Load, didReceive bytes: UnsafeRawBufferPointer) -> HTTPBodyDisposition {
        notifyParts { $0.load(load, didReceive: bytes) }
    }

    /// A pipe can be emptied only once, so only a single remaining part ever gets one.
    func load(_ load: Load, didReceive pipe: SplicePipe) -> HTTPBodyDisposition {
        notifyParts { $0.load(load, didReceive: pipe) }
    }

    func load(_ load: Load, didFinishWith error: TransferError?) {
        end()
        let told = parts
        parts = []
        for part in told { part.finish(load, error, decider: first.decider) }
        self.load = nil
    }

    /// Calls the parts that want more of the response, and returns how to handle the rest.
    private func notifyParts(
        _ call: (any LoadReceiver) -> HTTPBodyDisposition
    ) -> HTTPBodyDisposition {
        for part in parts { part.notify(call) }
        let wanted = parts.map(\.disposition)
        if wanted.count == 1 { return wanted[0] }
        if wanted.contains(where: { $0 == .deliver || $0 == .deliverInPipes }) { return .deliver }
        return wanted.contains(.discard) ? .discard : .cancel
    }
}

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

        func owns(_ load: Load) -> Bool { receiver != nil }

        /// Releases this part, which does not get the response.
        func release() {
            guard receiver != nil else { return }
            receiver = nil
            download.transfer?.released()
        }

        /// Passes a part of the response to the receiver, unless it wants no more.
        func notify(_ call: (any LoadReceiver) -> HTTPBodyDisposition) {
            guard let receiver, disposition == .deliver || disposition == .deliverInPipes else {
                return
            }
            disposition = call(receiver)
        }

        /// Reports that the response is complete or has failed.
        func finish(_ load: Load, _ error: TransferError?, decider: TaskDecider) {
            if decider !== download.decider { download.decider.share(decider) }
            receiver?.load(load, didFinishWith: error)
            receiver = nil
        }
    }
}
