import FerrySystem
import FerryTransfer

/// A transfer that is under way, in either direction.
@LoopActor
protocol RunningTransfer: AnyObject {
    /// The rates at which it may receive and send.
    var rates: TransferRates? { get }
    /// Ends it at once and without an event.
    func cancel()
}

extension Download: RunningTransfer {}
extension Upload: RunningTransfer {}

/// A placeholder for a transfer while its files are being read or found.
@LoopActor
final class TransferPreparation: RunningTransfer {
    let rates: TransferRates? = nil

    /// Does nothing, as no transfer has started.
    func cancel() {}
}
