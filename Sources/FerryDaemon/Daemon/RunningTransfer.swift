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

/// What stands for a transfer while what it needs is being read.
@LoopActor
final class TransferPreparation: RunningTransfer {
    let rates: TransferRates? = nil

    /// Nothing is under way that could be ended.
    func cancel() {}
}
