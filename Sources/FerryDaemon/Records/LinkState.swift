import FerryStore
import FerryWire

/// What the store keeps about a task whose address is another one than its request's.
struct LinkState: Codable, Hashable {
    /// What is sent in place of the task's request.
    var request: Wire.Request
    /// What tells this address from all others that the task, and those whose bytes it has taken over, have had.
    var number: Int

    /// For the store.
    var encoded: [UInt8] { Stored.encode(self) }

    /// From the store.
    static func decode(_ bytes: [UInt8]?) -> LinkState? {
        bytes.flatMap { Stored.decode($0) }
    }
}
