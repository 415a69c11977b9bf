import FerryStore
import FerryWire

/// What the store keeps about a task whose address is another one than its request's.
struct LinkState: Codable, Hashable {
    /// What is sent in place of the task's request.
    var request: Wire.Request
    /// How often the task was given another address.
    var number: Int

    /// For the store.
    var encoded: [UInt8] { Stored.encode(self) }

    /// From the store.
    static func decode(_ bytes: [UInt8]?) -> LinkState? {
        bytes.flatMap { Stored.decode($0) }
    }

    /// The next link of a task.
    init(_ request: Wire.Request, after task: TaskRecord) {
        self.request = request
        number = (Self.decode(task.link)?.number ?? 0) + 1
    }
}
