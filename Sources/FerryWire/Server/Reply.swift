package import FerrySystem

/// The means to answer a call.
///
/// Keep it until the call is answered; a reply that is released answers with
/// ``TransferInterfaceError/internalFailure(reason:)``, so that no client waits forever. After the last answer, or
/// when the connection is gone, further answers do nothing.
@LoopActor
package final class Reply<Method: TransferMethod> {
    private let call: PendingCall

    init(_ call: PendingCall) {
        self.call = call
    }

    isolated deinit {
        call.fail(.transfer(.internalFailure(reason: "\(Method.name) was not answered")))
    }

    /// Whether the client accepts a stream; otherwise the first answer is the last.
    package var isStream: Bool { call.kind == .stream }

    /// Whether an answer can still be given and the client waits for it.
    package var isOpen: Bool { call.isOpen }

    /// Whether the client keeps up; while it does not, leave out what can be left out.
    ///
    /// A client with more than ``VarlinkServer/Limits/queuedByteCount`` bytes of unread answers is disconnected.
    package var isWritable: Bool { call.isWritable }

    /// Called whenever the client has caught up after ``isWritable`` was false.
    package var onWritable: (@LoopActor () -> Void)? {
        get { call.onWritable }
        set { if call.isOpen { call.onWritable = newValue } }
    }

    /// Called once if the connection closes before the last answer.
    package var onClose: (@LoopActor () -> Void)? {
        get { call.onClose }
        set { if call.isOpen { call.onClose = newValue } }
    }

    /// Returns the file that was passed with the call, the first time that it is called.
    package func takeFile() -> PassedFile? { call.takeFile() }

    /// Answers the call.
    package func success(_ value: Method.Reply) { call.answer(value, continues: false) }

    /// Answers the call with one of several replies, of which ``success(_:)`` is the last.
    ///
    /// For a client that has not requested a stream, it is the only one.
    package func stream(_ value: Method.Reply) { call.answer(value, continues: true) }

    /// Answers the call with one of several replies, which `write` writes.
    func stream(_ write: (inout JSONOutput) -> Void) { call.answer(continues: true, write) }

    /// Answers the call with an error.
    package func failure(_ error: TransferInterfaceError) { call.fail(.transfer(error)) }
}

extension Reply where Method.Reply == Wire.Empty {
    /// Answers that the call has been carried out.
    package func success() { success(Wire.Empty()) }
}

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
