import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// One request for several tasks that ask for the same, each of which gets the whole answer.
///
/// Tasks can join until the response is there. What a task's delegate might decide about the request it decides
/// for itself: when the first one's is asked anything, the others go on with requests of their own.
@LoopActor
final class SharedLoad {
    private var members: [SharedLoader] = []
    /// What the request was sent with.
    var client: HTTPClient?
    private var source: (any ResourceLoader)?
    private let leave: @LoopActor () -> Void
    private(set) var isJoinable = true

    /// - Parameter leave: Called when nobody can join any more.
    init(leave: @escaping @LoopActor () -> Void) {
        self.leave = leave
    }

    /// Gets the answer from a loader, whose receiver this is.
    func start(_ source: any ResourceLoader) {
        self.source = source
        source.start()
    }

    func join(_ member: SharedLoader) { members.append(member) }

    /// A member does not want the answer any more.
    func part(_ member: SharedLoader) {
        let isFirst = members.first === member
        members.removeAll { $0 === member }
        // What the request was sent with was the first one's.
        if isFirst, isJoinable { return releaseAll() }
        guard members.isEmpty else { return updateFlow() }
        close()
        source?.cancel()
        source = nil
    }

    /// The one whose delegates are asked is going to be: the others go their own way.
    func releaseFollowers() {
        guard isJoinable else { return }
        close()
        let followers = members.dropFirst()
        members = Array(members.prefix(1))
        for follower in followers { follower.release() }
        updateFlow()
    }

    private func releaseAll() {
        close()
        source?.cancel()
        source = nil
        let released = members
        members = []
        for member in released { member.release() }
    }

    /// The fastest member sets the pace, until too much waits for a slow one.
    func updateFlow() {
        let waits = members.allSatisfy(\.isPaused) || members.contains(where: \.isFull)
        if waits { source?.pause() } else { source?.resume() }
    }

    private func close() {
        guard isJoinable else { return }
        isJoinable = false
        leave()
    }
}

extension SharedLoad: ResourceReceiver {
    func didReceive(_ response: LatestResponse) {
        close()
        for member in members { member.receiver?.didReceive(response) }
    }

    func didReceive(_ bytes: UnsafeRawBufferPointer) {
        for member in members { member.take(bytes) }
        if members.contains(where: \.isFull) { updateFlow() }
    }

    func mayStore(
        _ proposed: CachedURLResponse,
        then store: @escaping @LoopActor (CachedURLResponse?) -> Void
    ) {
        guard let receiver = members.first?.receiver else { return store(nil) }
        receiver.mayStore(proposed, then: store)
    }

    func didRedirect(to request: URLRequest, _ response: URLResponse) {}

    func didFinish(_ error: (any Error)?) {
        close()
        let told = members
        members = []
        source = nil
        for member in told { member.finish(error, after: told.first) }
    }
}
