import FerryStore
import FerryWire

/// The stored state of a task whose address differs from its request's.
struct LinkState: StoredRecord, Hashable {
    /// The request that replaces the task's own.
    var request: Wire.Request
    /// A number that identifies this address among all that the task, and those whose bytes it has taken over, have
    /// had.
    var number: Int
}
