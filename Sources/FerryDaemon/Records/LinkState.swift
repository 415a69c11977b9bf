import FerryStore
import FerryWire

/// What the store keeps about a task whose address is another one than its request's.
struct LinkState: StoredRecord, Hashable {
    /// What is sent in place of the task's request.
    var request: Wire.Request
    /// What tells this address from all others that the task, and those whose bytes it has taken over, have had.
    var number: Int
}
