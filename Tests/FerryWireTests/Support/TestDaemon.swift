import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import Glibc

@testable import FerryWire

/// A server whose answers a test gives.
@LoopActor
final class TestDaemon: TransferCallHandler {
    typealias Script = @LoopActor @Sendable (TransferCall, VarlinkConnection) -> Void

    nonisolated static let information = ServiceInformation(
        vendor: "Ferry",
        product: "ferryd",
        version: "1.0",
        url: "https://example.org"
    )

    /// What has happened to connections.
    nonisolated let opened = Recorder<PeerCredentials>()
    nonisolated let hungUp = Recorder<PeerCredentials>()
    nonisolated let closed = Recorder<DisconnectReason>()
    nonisolated let refused = Recorder<DisconnectReason>()
    nonisolated let place: TemporaryDirectory
    private let script: Script
    private(set) var server: VarlinkServer?
    private var waiters: [(isOver: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    init(
        limits: VarlinkServer.Limits = .init(),
        user: UInt32 = geteuid(),
        script: @escaping Script = { call, _ in TestDaemon.answer(call) }
    ) throws {
        self.script = script
        place = try TemporaryDirectory()
        let server = VarlinkServer(
            information: Self.information,
            handler: self,
            limits: limits,
            user: user
        )
        try server.listen(on: try UnixSocket.listen("socket", in: place.directory))
        self.server = server
    }

    /// Answers a few methods with something.
    static func answer(_ call: TransferCall) {
        switch call {
        case .getTask(let call, let reply):
            var task = Samples.task
            task.id = call.id
            reply.success(.init(task: task))
        case .getStatus(_, let reply):
            reply.success(.init(status: Samples.status))
        case .listTasks(_, let reply):
            reply.success(.init(tasks: Encoded([Samples.task])))
        case .resume(let call, let reply):
            if call.session == 5 {
                reply.success()
            } else {
                reply.failure(.sessionNotOpen(session: call.session))
            }
        default:
            // Let go of, which is an answer as well.
            break
        }
    }

    nonisolated func connect() throws -> RawConnection {
        RawConnection(try UnixSocket.connect("socket", in: place.directory))
    }

    nonisolated func client(
        onClose: @escaping @LoopActor @Sendable (CallError) -> Void = { _ in }
    ) throws -> VarlinkClient {
        VarlinkClient(try UnixSocket.connect("socket", in: place.directory), onClose: onClose)
    }

    /// Waits until `count` connections have closed.
    func waitUntilClosed(_ count: Int = 1) async {
        await wait { self.closed.elements.count >= count }
    }

    /// Waits until a client has gone of which a file still does not answer.
    func waitUntilHungUp() async { await wait { !self.hungUp.elements.isEmpty } }

    /// Waits until `count` connections have been opened.
    func waitUntilOpened(_ count: Int) async {
        await wait { self.opened.elements.count >= count }
    }

    private func wait(until isOver: @escaping () -> Bool) async {
        if isOver() { return }
        await withCheckedContinuation { waiters.append((isOver, $0)) }
    }

    private func resumeWaiters() {
        for waiter in waiters where waiter.isOver() { waiter.continuation.resume() }
        waiters.removeAll { $0.isOver() }
    }

    func handle(_ call: TransferCall, from connection: VarlinkConnection) {
        script(call, connection)
    }

    func connectionDidOpen(_ connection: VarlinkConnection) {
        opened.append(connection.peer)
        resumeWaiters()
    }

    func connectionDidHangUp(_ connection: VarlinkConnection) {
        hungUp.append(connection.peer)
        resumeWaiters()
    }

    func connectionDidClose(_ connection: VarlinkConnection, because reason: DisconnectReason) {
        closed.append(reason)
        resumeWaiters()
    }

    func serverDidRefuse(_ peer: PeerCredentials, because reason: DisconnectReason) {
        refused.append(reason)
    }
}

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

extension CallError {
    var isConnectionClosed: Bool { if case .connectionClosed = self { true } else { false } }
}
