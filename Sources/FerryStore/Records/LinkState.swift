package import FerryWire

/// The stored state of a task whose address differs from its request's.
package struct LinkState: StoredRecord {
    /// The request that replaces the task's own.
    package var request: Wire.Request
    /// A number that identifies this address among all that the task, and those whose bytes it has taken over, have
    /// had.
    package var number: Int

    /// Creates the state of a task with another address.
    package init(request: Wire.Request, number: Int) {
        self.request = request
        self.number = number
    }
}
