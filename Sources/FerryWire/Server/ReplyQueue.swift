/// Keeps a connection's replies in the order of its calls, in whichever order they are given.
struct ReplyQueue {
    private struct Slot {
        let call: Int
        var held: [[UInt8]] = []
        var isAnswered = false
    }

    private var slots: [Slot] = []
    /// The number of finished slots at the front; they are removed many at a time.
    private var doneCount = 0

    /// The number of bytes of replies that wait for the answers to earlier calls.
    private(set) var heldByteCount = 0

    /// Records a call that will be answered.
    ///
    /// - Parameter call: A number greater than those of earlier calls.
    mutating func open(_ call: Int) {
        slots.append(Slot(call: call))
    }

    /// Adds a reply.
    ///
    /// - Parameters:
    ///   - message: The reply.
    ///   - call: The call that it answers; a reply to a call that is not open is dropped.
    ///   - isLast: Whether it ends the answer.
    /// - Returns: The messages that can now be sent, in order.
    mutating func add(_ message: [UInt8], to call: Int, isLast: Bool) -> [[UInt8]] {
        guard let index = index(of: call), !slots[index].isAnswered else { return [] }
        slots[index].isAnswered = isLast
        guard index == doneCount else {
            slots[index].held.append(message)
            heldByteCount += message.count
            return []
        }
        return isLast ? [message] + advance() : [message]
    }

    /// Returns the index of a call's slot.
    private func index(of call: Int) -> Int? {
        // Calls are usually answered in order.
        if doneCount < slots.count, slots[doneCount].call == call { return doneCount }
        return slots[doneCount...].firstIndex { $0.call == call }
    }

    /// Removes the answered calls at the front, and returns the replies that waited for them.
    private mutating func advance() -> [[UInt8]] {
        var released: [[UInt8]] = []
        while doneCount < slots.count, slots[doneCount].isAnswered {
            doneCount += 1
            guard doneCount < slots.count else { break }
            released += slots[doneCount].held
            slots[doneCount].held = []
        }
        if doneCount * 2 > slots.count {
            slots.removeFirst(doneCount)
            doneCount = 0
        }
        heldByteCount -= released.reduce(0) { $0 + $1.count }
        return released
    }
}
