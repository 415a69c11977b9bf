import FerrySystem
@preconcurrency import Glibc
import Synchronization

/// The sending half of a client's connection, usable from every thread.
///
/// It owns the socket, and with it the order: messages and their expected replies are queued under one lock.
final class ClientSender: Sendable {
    /// The outcome for a message.
    enum Outcome: Hashable, Sendable {
        /// The kernel has it.
        case sent
        /// The socket's buffer is full; the loop must send the rest when there is room.
        case queued
        /// The peer no longer accepts bytes; what it has sent can still be read.
        case broken
        /// The connection is closed.
        case closed(CallError)
    }

    private struct State {
        var output = OutputBuffer()
        var expected: [ExpectedReply] = []
        /// The number of expected replies, from the front, that have been received.
        var received = 0
        var isBroken = false
        var closing: CallError?
    }

    let descriptor: Int32
    private let socket: FileDescriptor
    private let state = Mutex(State())

    init(_ socket: consuming FileDescriptor) {
        descriptor = socket.rawValue
        self.socket = consume socket
    }

    /// Whether messages wait for room.
    var isQueueing: Bool { state.withLock { $0.output.byteCount > 0 } }

    /// Sends a message after all earlier ones, as far as that is possible without waiting.
    func send(
        _ message: [UInt8],
        file: UserFile? = nil,
        expecting reply: ExpectedReply?
    ) -> Outcome {
        state.withLock { state in
            if let error = state.closing { return .closed(error) }
            if let reply { state.expected.append(reply) }
            state.output.append(message, file: file)
            return sendQueued(&state)
        }
    }

    /// Sends the queued messages, as far as that is possible without waiting.
    func sendQueued() -> Outcome { state.withLock { sendQueued(&$0) } }

    /// Waits until the kernel has everything; returns whether it has.
    func flush(until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            switch sendQueued() {
            case .sent: return true
            case .broken, .closed: return false
            case .queued: break
            }
            let remaining = deadline - .now
            if remaining <= .zero { return false }
            let milliseconds = remaining / .milliseconds(1)
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&entry, 1, Int32(min(milliseconds.rounded(.up), Double(Int32.max))))
        }
    }

    /// Returns the expected reply for a message that has arrived; `nil` when none is expected.
    func firstExpected() -> ExpectedReply? {
        state.withLock { state in
            state.received < state.expected.count ? state.expected[state.received] : nil
        }
    }

    /// Removes the first expected reply, after the last message for its call.
    func finishFirstExpected() {
        state.withLock { state in
            state.received += 1
            // Removing many at a time keeps a long queue's work in proportion to its length.
            if state.received * 2 > state.expected.count {
                state.expected.removeFirst(state.received)
                state.received = 0
            }
        }
    }

    /// Accepts no more messages; returns the replies that will not arrive, or `nil` if closed before.
    func close(because error: CallError) -> [ExpectedReply]? {
        state.withLock { state in
            guard state.closing == nil else { return nil }
            state.closing = error
            state.output = OutputBuffer()
            // The descriptor itself stays open until no thread can be in a call with it.
            shutdown(descriptor, Int32(SHUT_RDWR))
            defer {
                state.expected = []
                state.received = 0
            }
            return Array(state.expected[state.received...])
        }
    }

    private func sendQueued(_ state: inout State) -> Outcome {
        if let error = state.closing { return .closed(error) }
        if state.isBroken { return .broken }
        do throws(SystemCallError) {
            try state.output.drainWithFiles { bytes, file throws(SystemCallError) in
                let files = file.map { [$0.number] } ?? []
                return try SocketMessage.send(bytes, descriptors: files, over: descriptor)
            }
        } catch {
            state.isBroken = true
            state.output = OutputBuffer()
            return .broken
        }
        return state.output.byteCount > 0 ? .queued : .sent
    }
}
