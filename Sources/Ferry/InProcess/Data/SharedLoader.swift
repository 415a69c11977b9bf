import FerryHTTP
import FerrySystem
import Foundation
import FoundationNetworking

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
        decider.willAsk = { [weak shared] in shared?.releaseFollowers() }
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

    /// The client that sends the shared request.
    var client: HTTPClient? { shared?.client }

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
