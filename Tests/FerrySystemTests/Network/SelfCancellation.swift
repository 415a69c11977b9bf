import FerryTestSupport

@testable import FerrySystem

/// An observer that wants to be told once.
@LoopActor
final class SelfCancellation {
    /// What it was told.
    let answer = AsyncValue<Connectivity>()
    private var observation: ConnectivityObservation?

    init(of monitor: ConnectivityMonitor) {
        observation = monitor.observe { [answer] connectivity in
            answer.set(connectivity)
            self.observation?.cancel()
            self.observation = nil
        }
    }
}
