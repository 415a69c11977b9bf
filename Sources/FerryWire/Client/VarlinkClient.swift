package import FerrySystem

/// A connection to ferryd.
///
/// Calls may be made from any thread. They reach the daemon in order, and are answered in that order, on the loop. No
/// call waits: the bytes that the kernel accepts reach the daemon even if the process ends when the method has
/// returned; the rest is queued, however much it is, and sent from the loop.
///
/// The connection closes when the client is released.
///
/// ```swift
/// let client = VarlinkClient(try DaemonStarter().connect()) { error in … }
/// let reply = try await client.call(Wire.GetStatus())
/// ```
package final class VarlinkClient: Sendable {
    private let sender: ClientSender
    private let channel: ClientChannel
    private let callLimits: MessageLimits

    /// Creates a client on a connected socket.
    ///
    /// - Parameters:
    ///   - socket: The socket; the client owns it.
    ///   - callLimits: The limits for calls; a greater call fails without being sent.
    ///   - replyLimits: The limits for replies.
    ///   - onClose: Called once on the loop when the connection has closed, after all calls without
    ///     an answer have failed.
    package init(
        _ socket: consuming FileDescriptor,
        callLimits: MessageLimits = .calls,
        replyLimits: MessageLimits = .replies,
        onClose: @escaping @LoopActor @Sendable (CallError) -> Void = { _ in }
    ) {
        let sender = ClientSender(socket)
        let channel = ClientChannel(sender, limits: replyLimits, onClose: onClose)
        self.sender = sender
        self.channel = channel
        self.callLimits = callLimits
        LoopActor.perform { channel.start() }
    }

    deinit { close() }

    // MARK: - Calls

    /// Calls a method.
    ///
    /// - Parameters:
    ///   - method: The method with its parameters.
    ///   - file: A file that is passed with it.
    ///   - onReply: Called once on the loop, never before this returns.
    package func call<Method: TransferMethod>(
        _ method: Method,
        file: UserFile? = nil,
        onReply: @escaping @LoopActor @Sendable (Result<Method.Reply, CallError>) -> Void
    ) {
        send(method, file: file, expecting: ExpectedReply(single: onReply))
    }

    /// Calls a method and waits for the answer, in the order of the calls.
    package func call<Method: TransferMethod>(
        _ method: Method,
        file: UserFile? = nil
    ) async throws(CallError) -> Method.Reply {
        try await withCheckedContinuation { continuation in
            call(method, file: file) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Calls a method for a stream of replies.
    ///
    /// The connection is busy until the stream ends: later calls are answered after it. Use a separate client for a
    /// stream that does not end.
    ///
    /// - Parameters:
    ///   - method: The method with its parameters.
    ///   - onReply: Called on the loop for each reply, and last with a failure or the last reply.
    package func stream<Method: TransferMethod>(
        _ method: Method,
        onReply: @escaping @LoopActor @Sendable (StreamReply<Method.Reply>) -> Void
    ) {
        send(method, more: true, expecting: ExpectedReply(stream: onReply))
    }

    /// Calls a method without requesting an answer.
    ///
    /// - Throws: ``CallError/invalidCall(_:)``, ``CallError/connectionClosed(reason:)``.
    package func send<Method: TransferMethod>(_ method: Method) throws(CallError) {
        let message = try message(method, oneway: true)
        if case .closed(let error) = pass(message, expecting: nil) { throw error }
    }

    // MARK: - The connection

    /// Waits until the kernel has all that was sent, so that the process may end.
    ///
    /// - Parameter timeout: The maximum time to wait.
    /// - Returns: Whether the kernel has it; if not, later calls continue to send it.
    package func flush(timeout: Duration) -> Bool {
        sender.flush(until: .now + timeout)
    }

    /// Stops or resumes reading.
    ///
    /// A stream's owner that cannot keep up stops reading; the daemon then leaves out what it can, and queues the rest.
    @LoopActor
    package func setReading(_ isReading: Bool) { channel.setPaused(!isReading) }

    /// Closes the connection; calls without an answer fail.
    ///
    /// Bytes that the kernel has not accepted yet are lost; see ``flush(timeout:)``.
    package func close() {
        let channel = channel
        LoopActor.perform {
            channel.close(because: .connectionClosed(reason: "it was closed here"))
        }
    }

    // MARK: - Private

    private func send<Method: TransferMethod>(
        _ method: Method,
        more: Bool = false,
        file: UserFile? = nil,
        expecting reply: ExpectedReply
    ) {
        do throws(CallError) {
            let message = try message(method, more: more)
            guard case .closed(let error) = pass(message, file: file, expecting: reply) else {
                return
            }
            LoopActor.perform { reply.fail(error) }
        } catch {
            LoopActor.perform { reply.fail(error) }
        }
    }

    private func message<Method: TransferMethod>(
        _ method: Method,
        more: Bool = false,
        oneway: Bool = false
    ) throws(CallError) -> [UInt8] {
        do throws(MessageError) {
            let message = try MessageCoding.message(calling: method, more: more, oneway: oneway)
            let limit = callLimits.byteCount
            if message.count > limit + 1 { throw .tooLong(limit: limit) }
            return message
        } catch {
            throw .invalidCall(error)
        }
    }

    private func pass(
        _ message: [UInt8],
        file: UserFile? = nil,
        expecting reply: ExpectedReply?
    ) -> ClientSender.Outcome {
        let outcome = sender.send(message, file: file, expecting: reply)
        let channel = channel
        switch outcome {
        case .sent, .closed: break
        case .queued: LoopActor.perform { channel.settle() }
        case .broken: LoopActor.perform { channel.hangUp() }
        }
        return outcome
    }
}

/// The reason why a call was not answered as its method promises.
package enum CallError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The daemon refused it.
    case refused(TransferInterfaceError)
    /// The daemon does not know the method or its parameters: it has a different version.
    case notUnderstood(ServiceError)
    /// The daemon answered with an error that this version does not know.
    case unknown(name: String)
    /// The connection is closed; the call may or may not have been carried out.
    case connectionClosed(reason: String)
    /// The reply is invalid for the method; the connection is closed.
    case invalidReply(MessageError)
    /// The call cannot be sent, for example because it is too long; the connection stays usable.
    case invalidCall(MessageError)

    init(_ message: ErrorMessage) {
        switch message {
        case .transfer(let error): self = .refused(error)
        case .service(let error): self = .notUnderstood(error)
        case .unknown(let name): self = .unknown(name: name)
        }
    }

    /// A description for people.
    package var description: String {
        switch self {
        case .refused(let error): "the daemon refused: \(error)"
        case .notUnderstood(let error):
            """
            ferryd is of another version, and does not understand this: \(error). 'ferry daemon stop' ends it; the next \
            program that needs one starts the ferryd that it finds
            """
        case .unknown(let name): "the daemon answered with the error \(name)"
        case .connectionClosed(let reason): "the connection to the daemon is closed: \(reason)"
        case .invalidReply(let error): "the daemon sent \(error)"
        case .invalidCall(let error): "the daemon does not take \(error)"
        }
    }
}
