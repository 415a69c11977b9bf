import FerrySystem
import FerryTransfer

/// A transfer that is under way, in either direction.
@LoopActor
protocol RunningTransfer: AnyObject {
    /// The rates at which it may receive and send.
    var rates: TransferRates? { get }
    /// Starts it; its events come later.
    func start()
    /// Ends it at once and without an event.
    func cancel()
}

extension Download: RunningTransfer {}
extension Upload: RunningTransfer {}
