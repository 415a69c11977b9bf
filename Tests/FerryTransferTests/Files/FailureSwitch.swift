import FerryTransfer
import Synchronization

/// A disk that can be told to fail.
final class FailureSwitch: Sendable {
    private let storage = Mutex(false)

    var isFailing: Bool {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    func check() throws(TransferError) {
        if isFailing { throw TransferError(code: .cannotWriteToFile, message: "test") }
    }
}
