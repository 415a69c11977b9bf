import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension TransferInterfaceError {
    /// Creates the error that a caller receives for a failure of the store.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - key: The task that the call was about; `nil` if it was about none.
    init(_ error: StoreError, task key: TaskKey? = nil) {
        switch error.code {
        case .notFound:
            self = key.map { .taskNotFound($0) } ?? .taskNotFound(id: 0)
        case .conflict:
            self = .invalidRequest(parameter: "identifier", reason: error.message)
        case .outOfMemory:
            self = .resourceUnavailable(reason: error.message)
        case .cannotOpen, .inUse, .newerSchema, .corrupt, .diskFull, .inputOutput, .closed,
            .internalFailure:
            self = .storeUnavailable(reason: error.message)
        }
    }
}

extension Duration {
    /// The duration as a number of seconds.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// The duration for people, to a tenth of a second.
    var formattedInSeconds: String {
        let tenths = Int((inSeconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
