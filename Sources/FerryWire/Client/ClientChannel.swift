import FerrySystem
import FoundationEssentials
@preconcurrency import Glibc

/// The receiving half of a client's connection, on the loop.
///
/// The loop's watch retains it until the connection is closed.
@LoopActor
final class ClientChannel {
    /// The number of bytes read at once, before other connections have their turn.
    private static let readByteCount = 64 * 1024

    private let sender: ClientSender
    private let limits: MessageLimits
    private let onClose: @LoopActor @Sendable (CallError) -> Void
    private var input: MessageSplitter
    private var watch: Watch?
    private var watched: Readiness = .readable
    private var isPaused = false
    private var isOpen = true
    /// Whether the daemon is gone; the bytes that it has sent are still handled.
    private var hasHungUp = false
    private var isTakingReplies = false

    nonisolated init(
        _ sender: ClientSender,
        limits: MessageLimits,
        onClose: @escaping @LoopActor @Sendable (CallError) -> Void
    ) {
        self.sender = sender
        self.limits = limits
        self.onClose = onClose
        input = MessageSplitter(limit: limits.byteCount)
    }

    func start() {
        guard isOpen else { return }
        do throws(SystemCallError) {
            watch = try EventLoop.shared.watch(sender.descriptor, for: watched) { readiness in
                self.ready(for: readiness)
            }
            settle()
        } catch {
            close(because: .connectionClosed(reason: "\(error)"))
        }
    }

    func close(because error: CallError) {
        guard isOpen else { return }
        isOpen = false
        watch?.cancel()
        watch = nil
        for reply in sender.close(because: error) ?? [] { reply.fail(error) }
        onClose(error)
    }

    /// Stops or resumes reading; while it is stopped, the daemon notices that the client does not keep up.
    func setPaused(_ isPaused: Bool) {
        guard isOpen, isPaused != self.isPaused else { return }
        self.isPaused = isPaused
        if !isPaused { takeReplies() }
        if hasHungUp { drain() } else { settle() }
    }

    /// Handles that the daemon accepts no more: reads what it has sent, then closes.
    func hangUp() {
        guard isOpen, !hasHungUp else { return }
        hasHungUp = true
        // The hang-up is reported again and again unless the watch ends.
        watch?.cancel()
        watch = nil
        drain()
    }

    /// Updates what the loop watches for.
    func settle() {
        guard isOpen, !hasHungUp, let watch else { return }
        var wanted: Readiness = isPaused ? [] : .readable
        if sender.isQueueing { wanted.insert(.writable) }
        guard wanted != watched else { return }
        do throws(SystemCallError) {
            try watch.update(wanted)
            watched = wanted
        } catch {
            close(because: .connectionClosed(reason: "\(error)"))
        }
    }

    private func ready(for readiness: Readiness) {
        if readiness.contains(.writable), sender.sendQueued() == .broken {
            hangUp()
            return
        }
        guard isOpen else { return }
        if !readiness.isDisjoint(with: .hangUp) {
            hangUp()
        } else {
            if readiness.contains(.readable) { receiveAndTake() }
            settle()
        }
    }

    private func receiveAndTake() {
        let end = receive()
        takeReplies()
        if let end { close(because: .connectionClosed(reason: end)) }
    }

    /// Reads the remaining bytes of a daemon that is gone, a part at a time.
    private func drain() {
        guard isOpen, !isPaused else { return }
        receiveAndTake()
        if isOpen { LoopActor.perform { self.drain() } }
    }

    /// Reads once; returns the reason if nothing more will arrive.
    private func receive() -> String? {
        withUnsafeTemporaryAllocation(byteCount: Self.readByteCount, alignment: 16) { buffer in
            do throws(SystemCallError) {
                let count = try systemCall("recv") {
                    recv(
                        sender.descriptor,
                        buffer.baseAddress,
                        buffer.count,
                        Int32(MSG_DONTWAIT)
                    )
                }
                input.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count == 0 ? "the daemon closed it" : nil
            } catch {
                if error.errno == EAGAIN { return hasHungUp ? "the daemon is gone" : nil }
                return "\(error)"
            }
        }
    }

    private func takeReplies() {
        // A handler may resume reading, which calls this again.
        guard !isTakingReplies else { return }
        isTakingReplies = true
        defer { isTakingReplies = false }
        do throws(MessageError) {
            while isOpen, !isPaused, let message = try input.next() {
                try take(message)
            }
        } catch {
            close(because: .invalidReply(error))
        }
    }

    private func take(_ message: Data) throws(MessageError) {
        guard let reply = sender.firstExpected() else {
            // A daemon that has no room for another client sends an error before any call.
            guard case .failure(let error) = try IncomingReply<Wire.Empty>(from: message).result
            else {
                throw .malformed("a reply to no call")
            }
            return close(because: error)
        }
        if try !reply.receive(message) { sender.finishFirstExpected() }
    }
}

/// The handlers of the reply to a call that has been sent.
struct ExpectedReply: Sendable {
    /// Handles a message of the daemon and returns whether others follow for the same call.
    let receive: @LoopActor @Sendable (Data) throws(MessageError) -> Bool
    /// Handles that no reply will arrive.
    let fail: @LoopActor @Sendable (CallError) -> Void

    /// Expects the only reply to a call.
    init<Value: JSONCodable>(
        single handler: @escaping @LoopActor @Sendable (Result<Value, CallError>) -> Void
    ) {
        receive = { (message) throws(MessageError) in
            let reply = try IncomingReply<Value>(from: message)
            if reply.continues { throw .malformed("more than one reply to a call that wants one") }
            handler(reply.result)
            return false
        }
        fail = { handler(.failure($0)) }
    }

    /// Expects a stream of replies.
    init<Value: JSONCodable>(
        stream handler: @escaping @LoopActor @Sendable (StreamReply<Value>) -> Void
    ) {
        receive = { (message) throws(MessageError) in
            let reply = try IncomingReply<Value>(from: message)
            switch reply.result {
            case .success(let value): handler(reply.continues ? .next(value) : .last(value))
            case .failure(let error): handler(.failure(error))
            }
            return reply.continues
        }
        fail = { handler(.failure($0)) }
    }
}

/// One reply of a stream.
package enum StreamReply<Value: Sendable>: Sendable {
    /// A reply after which others follow.
    case next(Value)
    /// The last reply.
    case last(Value)
    /// The error that ends the stream; nothing follows.
    case failure(CallError)
}

extension StreamReply: Equatable where Value: Equatable {}
