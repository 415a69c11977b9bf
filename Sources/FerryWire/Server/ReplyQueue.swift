/// Keeps a connection's replies in the order of its calls, in whichever order they are given.
struct ReplyQueue {
    private struct Slot {
        let call: Int
        var held: [[UInt8]] = []
        var isAnswered = false
    }

    private var slots: [Slot] = []

    /// How many bytes of replies wait for the answers to earlier calls.
    private(set) var heldByteCount = 0

    /// Takes note of a call that will be answered.
    ///
    /// - Parameter call: A number greater than those of the calls before.
    mutating func open(_ call: Int) {
        slots.append(Slot(call: call))
    }

    /// Takes a reply.
    ///
    /// - Parameters:
    ///   - message: The reply.
    ///   - call: The call that it answers; a reply to a call that is not open is dropped.
    ///   - isLast: Whether it ends the answer.
    /// - Returns: The messages whose turn has come with it, in their order.
    mutating func add(_ message: [UInt8], to call: Int, isLast: Bool) -> [[UInt8]] {
        guard let index = slots.firstIndex(where: { $0.call == call && !$0.isAnswered }) else {
            return []
        }
        slots[index].isAnswered = isLast
        guard index == 0 else {
            slots[index].held.append(message)
            heldByteCount += message.count
            return []
        }
        return isLast ? [message] + advance() : [message]
    }

    /// Removes the answered calls at the front and returns what was held up behind them.
    private mutating func advance() -> [[UInt8]] {
        var released: [[UInt8]] = []
        while slots.first?.isAnswered == true {
            slots.removeFirst()
            guard !slots.isEmpty else { break }
            released += slots[0].held
            slots[0].held = []
        }
        heldByteCount -= released.reduce(0) { $0 + $1.count }
        return released
    }
}
