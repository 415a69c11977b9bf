import FerryHTTP
import FerrySystem
import FerryTransfer

/// One load for several downloads that ask for the same, each of which writes a file of its own.
///
/// Downloads can join until the response is there. Who leaves then, to wait or for good, has a file to go on
/// from and holds nobody up. What a task's delegate might decide about the request it decides for itself: when
/// the first one's is asked anything, or the first one leaves before there is a response, the others go on by
/// themselves.
@LoopActor
final class DownloadShare {
    private var parts: [Part] = []
    private let first: InProcessDownload
    private var load: Load?
    private let close: @LoopActor () -> Void
    private(set) var isJoinable = true

    /// - Parameters:
    ///   - first: The download whose load it is going to be.
    ///   - close: Called when nobody can join any more.
    init(first: InProcessDownload, close: @escaping @LoopActor () -> Void) {
        self.first = first
        self.close = close
    }

    /// What the load was sent with.
    var client: HTTPClient? { first.ownClient }

    /// Who has the load's connection when the one that has it does not want the answer any more.
    var heir: InProcessDownload? { load == nil ? nil : parts.first?.download }

    /// Whether several downloads get the answer.
    var isShared: Bool { parts.count > 1 }

    /// A download takes part, or is told that it is too late to.
    func add(_ part: Part) {
        guard isJoinable else {
            // Never from inside of the download's call.
            return LoopActor.perform { part.release() }
        }
        parts.append(part)
    }

    /// Has the load of the first download bring the answer.
    func begin(_ makeLoad: Download.LoadMaker) {
        first.decider.willAsk = { [weak self] in self?.releaseFollowers() }
        let load = makeLoad(self)
        self.load = load
        load.start()
    }

    /// A download does not want the answer any more.
    func remove(_ part: Part) {
        parts.removeAll { $0 === part }
        if parts.isEmpty { endLoad() }
    }

    /// The first download leaves: before there is a response, the others have to do without it.
    func firstLeaves() {
        guard isJoinable else { return }
        endLoad()
        releaseFollowers()
    }

    /// The first download's delegate is going to be asked: the others go their own way.
    private func releaseFollowers() {
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
        end()
        return tellParts { $0.load(load, didReceive: head, to: request) }
    }

    func load(_ load: Load, didReceive bytes: UnsafeRawBufferPointer) -> HTTPBodyDisposition {
        tellParts { $0.load(load, didReceive: bytes) }
    }

    /// A pipe can be emptied once, which is why only the last one that is left ever gets one.
    func load(_ load: Load, didReceive pipe: SplicePipe) -> HTTPBodyDisposition {
        tellParts { $0.load(load, didReceive: pipe) }
    }

    func load(_ load: Load, didFinishWith error: TransferError?) {
        end()
        let told = parts
        parts = []
        for part in told { part.finish(load, error, decider: first.decider) }
        self.load = nil
    }

    /// Tells those who want more of the answer, and finds out what they want of the rest.
    private func tellParts(
        _ tell: (any LoadReceiver) -> HTTPBodyDisposition
    ) -> HTTPBodyDisposition {
        for part in parts { part.hear(tell) }
        let wanted = parts.map(\.disposition)
        if wanted.count == 1 { return wanted[0] }
        if wanted.contains(where: { $0 == .deliver || $0 == .deliverInPipes }) { return .deliver }
        return wanted.contains(.discard) ? .discard : .cancel
    }
}
