import FerrySystem
import Foundation
import FoundationNetworking

/// A task's part in a request that it shares with others.
@LoopActor
final class SharedLoader: ResourceLoader {
    private(set) weak var receiver: (any ResourceReceiver)?
    private(set) var isPaused = false
    private let decider: TaskDecider
    private var shared: SharedLoad?
    private let makeSource: @LoopActor (any ResourceReceiver) throws(URLError) -> any ResourceLoader
    private let isFirst: Bool
    /// In place of the shared request.
    private var own: (any ResourceLoader)?

    /// Joins a request.
    ///
    /// - Parameters:
    ///   - shared: The request, which begins with its first member.
    ///   - isFirst: Whether this is the first member.
    ///   - decider: Who decides about a request of this task.
    ///   - receiver: Who gets the answer.
    ///   - makeSource: Makes what gets an answer, for this task alone or for all.
    init(
        _ shared: SharedLoad,
        isFirst: Bool,
        decider: TaskDecider,
        receiver: any ResourceReceiver,
        makeSource:
            @escaping @LoopActor (any ResourceReceiver) throws(URLError) -> any ResourceLoader
    ) {
        self.shared = shared
        self.isFirst = isFirst
        self.decider = decider
        self.receiver = receiver
        self.makeSource = makeSource
        shared.join(self)
    }

    func start() {
        guard isFirst, let shared else { return }
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
        own?.pause()
    }

    func resume() {
        isPaused = false
        shared?.updateFlow()
        own?.resume()
    }

    func cancel() {
        receiver = nil
        let shared = shared
        self.shared = nil
        shared?.part(self)
        own?.cancel()
        own = nil
    }

    /// Goes on with a request of this task's own.
    func loadAlone() {
        shared = nil
        guard let receiver else { return }
        do throws(URLError) {
            let own = try makeSource(receiver)
            self.own = own
            if isPaused { own.pause() }
            own.start()
        } catch {
            receiver.didFinish(error)
        }
    }

    /// The shared answer is complete.
    func finish(_ error: (any Error)?, after first: SharedLoader?) {
        shared = nil
        if let first, first !== self { decider.share(first.decider) }
        let receiver = receiver
        self.receiver = nil
        receiver?.didFinish(error)
    }
}
