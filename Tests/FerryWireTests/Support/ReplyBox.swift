import FerrySystem

@testable import FerryWire

/// Keeps replies until a test answers them, and tells when there are enough.
@LoopActor
final class ReplyBox<Method: TransferMethod> {
    private(set) var replies: [Reply<Method>] = []
    private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    nonisolated init() {}

    func put(_ reply: Reply<Method>) {
        replies.append(reply)
        for waiter in waiters where waiter.count <= replies.count { waiter.continuation.resume() }
        waiters.removeAll { $0.count <= replies.count }
    }

    func wait(for count: Int) async -> [Reply<Method>] {
        if replies.count < count {
            await withCheckedContinuation { waiters.append((count, $0)) }
        }
        return replies
    }

    func removeAll() { replies = [] }
}
