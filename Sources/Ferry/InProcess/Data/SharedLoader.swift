import FerryHTTP
import FerrySystem
import Foundation
import FoundationNetworking

/// A task's part in a request that it shares with others.
@LoopActor
final class SharedLoader: ResourceLoader {
    typealias MakeSource =
        @LoopActor (any ResourceReceiver) throws(URLError) -> any ResourceLoader

    private(set) weak var receiver: (any ResourceReceiver)?
    private(set) var isPaused = false
    /// Whether the request is on its way; true for the first member only.
    private(set) var hasStarted = false

    private let isFirst: Bool
    private let decider: TaskDecider
    private let makeSource: MakeSource
    private let released: @LoopActor () -> Void
    private var shared: SharedLoad?
    /// What has come while the body was to wait, and the end behind it.
    private var held = Data()
    private var heldEnd: (@LoopActor () -> Void)?

    /// So much is kept for a member that is slower than the others, before these have to wait for it.
    private static let greatestHeldByteCount = 16 << 20

    /// Joins a request.
    ///
    /// - Parameters:
    ///   - shared: The request, which begins with its first member.
    ///   - isFirst: Whether this is the first member.
    ///   - decider: Who decides about a request of this task.
    ///   - receiver: Who gets the answer.
    ///   - makeSource: Makes what gets the answer for all.
    ///   - released: Called when the answer is not going to be this member's.
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

    /// Whether the answer has not begun.
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

    /// Whether no more is to come for now.
    var isFull: Bool { held.count > Self.greatestHeldByteCount }

    /// What the shared request was sent with.
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

    /// The answer is not going to be this member's.
    func release() {
        shared = nil
        receiver = nil
        released()
    }

    /// The shared answer is complete.
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
