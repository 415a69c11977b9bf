import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// The shared request of several data tasks.
@LoopActor
final class SharedLoad: SharedRequest {
    private var members: [SharedLoader] = []
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
        if members.count > 1, response.isForOneRequest { releaseFollowers() }
        close()
        for member in members { member.receiver?.didReceive(response) }
    }

    func willReceive(_ progress: CodedProgress) {
        for member in members { member.receiver?.willReceive(progress) }
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

/// A task's part in a request that it shares with other tasks.
@LoopActor
final class SharedLoader: ResourceLoader {
    typealias MakeSource =
        @LoopActor (any ResourceReceiver) throws(URLError) -> any ResourceLoader

    private(set) weak var receiver: (any ResourceReceiver)?
    private(set) var isPaused = false
    /// Whether the request was started; true for the first member only.
    private(set) var hasStarted = false

    private let isFirst: Bool
    private let decider: TaskDecider
    private let makeSource: MakeSource
    private let released: @LoopActor () -> Void
    private var shared: SharedLoad?
    /// The bytes received while paused, and the end that follows them.
    private var held = Data()
    private var heldEnd: (@LoopActor () -> Void)?

    /// The number of bytes kept for a slow member before the other members have to wait for it.
    private static let greatestHeldByteCount = 16 << 20

    /// Joins a request.
    ///
    /// - Parameters:
    ///   - shared: The request, which begins with its first member.
    ///   - isFirst: Whether this is the first member.
    ///   - decider: The decider about this task's requests.
    ///   - receiver: The receiver of the response.
    ///   - makeSource: Makes the loader that gets the response for all members.
    ///   - released: Called when this member does not get the response.
    init(
        _ shared: SharedLoad,
        isFirst: Bool,
        decider: TaskDecider,
        receiver: any ResourceReceiver,
        makeSource: @escaping MakeSource,
        released: @escaping @LoopActor () -> Void
    ) {
        self.shared = shared
        self.isFirst = isFirst
        self.decider = decider
        self.receiver = receiver
        self.makeSource = makeSource
        self.released = released
        shared.join(self)
    }

    /// Whether the response has not begun.
    var isJoinable: Bool { shared?.isJoinable ?? false }

    func start() {
        guard isFirst, let shared else { return }
        hasStarted = true
        decider.sharedRequest = shared
        do throws(URLError) {
            shared.start(try makeSource(shared))
        } catch {
            shared.didFinish(error)
        }
    }

    func pause() {
        isPaused = true
        shared?.updateFlow()
    }

    func resume() {
        isPaused = false
        handOverHeld()
        shared?.updateFlow()
    }

    /// Whether this member takes no more bytes for now.
    var isFull: Bool { held.count > Self.greatestHeldByteCount }

    /// Takes a part of the body.
    func take(_ bytes: UnsafeRawBufferPointer) {
        guard isPaused else { return receiver?.didReceive(bytes) ?? () }
        held.append(contentsOf: bytes)
    }

    private func handOverHeld() {
        if !held.isEmpty {
            let bytes = held
            held = Data()
            bytes.withUnsafeBytes { receiver?.didReceive($0) }
        }
        guard !isPaused, held.isEmpty, let end = heldEnd else { return }
        heldEnd = nil
        end()
    }

    func cancel() {
        receiver = nil
        held = Data()
        heldEnd = nil
        let shared = shared
        self.shared = nil
        shared?.part(self)
    }

    /// Has the other members make requests of their own.
    func releaseOthers() { shared?.releaseFollowers() }

    /// Releases this member, which does not get the response.
    func release() {
        shared = nil
        receiver = nil
        released()
    }

    /// Ends this member's part: the shared response is complete.
    func finish(_ error: (any Error)?, after first: SharedLoader?) {
        shared = nil
        if let first, first !== self { decider.share(first.decider) }
        guard held.isEmpty else {
            heldEnd = { [weak self] in self?.end(error) }
            return
        }
        end(error)
    }

    private func end(_ error: (any Error)?) {
        let receiver = receiver
        self.receiver = nil
        receiver?.didFinish(error)
    }
}
