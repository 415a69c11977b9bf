import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// One request for several tasks with equal requests; each task receives the whole response.
///
/// Tasks can join until the response arrives. A delegate decides for its own task only: when the first task's delegate
/// is asked anything about the request, the other tasks continue with requests of their own.
@LoopActor
final class SharedLoad {
    private var members: [SharedLoader] = []
    /// The client that sends the shared request.
    var client: HTTPClient?
    private var source: (any ResourceLoader)?
    private let leave: @LoopActor () -> Void
    private(set) var isJoinable = true

    /// - Parameter leave: Called when tasks can no longer join.
    init(leave: @escaping @LoopActor () -> Void) {
        self.leave = leave
    }

    /// Gets the response from a loader, whose receiver is this object.
    func start(_ source: any ResourceLoader) {
        self.source = source
        source.start()
    }

    func join(_ member: SharedLoader) { members.append(member) }

    /// Removes a member that no longer wants the response.
    func part(_ member: SharedLoader) {
        let isFirst = members.first === member
        members.removeAll { $0 === member }
        // The request was sent with the first member's client.
        if isFirst, isJoinable { return releaseAll() }
        guard members.isEmpty else { return updateFlow() }
        close()
        source?.cancel()
        source = nil
    }

    /// Releases all members except the first, for example because its delegate is about to be asked.
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

    /// The fastest member sets the pace, until too many bytes wait for a slow one.
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
