import FerrySystem
import FerryTransfer

/// What stands for a transfer while what it needs is being read.
@LoopActor
final class TransferPreparation: RunningTransfer {
    let rates: TransferRates? = nil

    /// Nothing is under way that could be ended.
    func cancel() {}
}
