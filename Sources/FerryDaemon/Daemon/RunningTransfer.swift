import FerrySystem
import FerryTransfer

/// A transfer that is under way, in whatever direction.
@LoopActor
protocol RunningTransfer: AnyObject {
    /// How fast its bytes may arrive and leave.
    var rates: TransferRates? { get }
    /// Ends it at once and without an event.
    func cancel()
}

extension Download: RunningTransfer {}
extension Upload: RunningTransfer {}
