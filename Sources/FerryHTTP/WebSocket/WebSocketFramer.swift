import CWslay

/// The frames of one WebSocket connection, by wslay: bytes in and events out, and the reverse.
///
/// It does no I/O, and is used on one thread.
final class WebSocketFramer {
    /// Something that has arrived.
    enum Event: Hashable, Sendable {
        case message(WebSocketMessage)
        case pong([UInt8])
        /// The last frame, whose answer is already in the queue.
        case close(code: UInt16?, reason: [UInt8])
        /// The other end has violated the protocol; a close frame that says so is in the queue.
        case failure(WebSocketError)
    }

    /// The encoded frames, and the number of their bytes that were sent.
    var output = WebSocketOutput()

    private var context: wslay_event_context_ptr?
    private let maximumMessageByteCount: Int
    private var events: [Event] = []
    /// The bytes for wslay to read; set only while it reads.
    private var input: Slice<UnsafeRawBufferPointer>?
    /// The body of a close frame while it is read; nil while none is.
    private var closeBody: [UInt8]?
    private var hasEnded = false

    /// Makes a client's end.
    ///
    /// - Parameter maximumMessageByteCount: The maximum length of an incoming message.
    /// - Throws: ``HTTPError/Code/outOfMemory``.
    init(maximumMessageByteCount: Int) throws(HTTPError) {
        self.maximumMessageByteCount = maximumMessageByteCount
        let code = CWslay_makeClient(
            &context,
            wantsBytes,
            hasBytes,
            wantsMask,
            didStartFrame,
            didReceiveChunk,
            didReceiveMessage,
            Unmanaged.passUnretained(self).toOpaque()
        )
        guard code == 0 else {
            throw HTTPError(code: .outOfMemory, message: "wslay cannot be set up")
        }
        // wslay applies this limit to control frames, too, which have up to 125 bytes.
        let limit = UInt64(max(maximumMessageByteCount, 125))
        wslay_event_config_set_max_recv_msg_length(context, limit)
    }

    deinit {
        wslay_event_context_free(context)
    }

    // MARK: Receiving

    /// Takes bytes that have arrived.
    ///
    /// - Returns: The events that they complete; none after a close frame or a failure.
    func receive(_ bytes: UnsafeRawBufferPointer) -> [Event] {
        guard !hasEnded else { return [] }
        input = bytes[...]
        let code = wslay_event_recv(context)
        input = nil
        if !hasEnded, code != 0 || wslay_event_get_read_enabled(context) == 0 {
            end(with: judgement)
        }
        defer { events = [] }
        return events
    }

    fileprivate func end(with event: Event) {
        guard !hasEnded else { return }
        hasEnded = true
        wslay_event_shutdown_read(context)
        events.append(event)
    }

    /// The reason why wslay has stopped reading, which only its own close frame shows.
    private var judgement: Event {
        if let closeBody, closeBody.count >= 2 {
            let code = UInt16(closeBody[0]) << 8 | UInt16(closeBody[1])
            // These codes were registered after RFC 6455, and servers send them; wslay knows up to 1011.
            if (1012...1014).contains(code) {
                return .close(code: code, reason: Array(closeBody[2...]))
            }
        }
        // If there is no room for that frame, the cause is not known.
        fillOutput()
        if wslay_event_get_status_code_sent(context) == Self.messageTooBig { return tooBig }
        return .failure(
            WebSocketError(
                code: .protocolViolation,
                message: "The server does not keep to the WebSocket protocol"
            )
        )
    }

    fileprivate var tooBig: Event {
        .failure(
            WebSocketError(
                code: .messageTooBig,
                message: "A message has more than \(maximumMessageByteCount) bytes"
            )
        )
    }

    /// RFC 6455 §7.4.1.
    fileprivate static let messageTooBig: UInt16 = 1009

    // MARK: Sending

    /// Whether queued frames have not become output yet.
    var hasQueue: Bool { wslay_event_want_write(context) != 0 }

    /// Whether so many pongs are queued that no more pings should be read.
    ///
    /// Otherwise a server that sends pings and does not read could use any amount of memory. Queued messages
    /// are no reason: the server may not read before its own have been read.
    var isClogged: Bool {
        !output.isEmpty && wslay_event_get_queued_msg_count(context) > Self.maximumQueueCount
    }

    private static let maximumQueueCount = 64

    /// Puts a frame in the queue.
    ///
    /// - Returns: Whether that is possible: nothing follows a close frame.
    func queue(_ frame: WebSocketFrame) -> Bool {
        switch frame {
        case .message(.text(var text)):
            text.withUTF8 { queue(CWslay_TEXT_FRAME, UnsafeRawBufferPointer($0)) }
        case .message(.binary(let bytes)):
            bytes.withUnsafeBytes { queue(CWslay_BINARY_FRAME, $0) }
        case .ping(let bytes):
            bytes.withUnsafeBytes { queue(CWslay_PING, $0) }
        case .close(let code, let reason):
            wslay_event_queue_close(context, code ?? 0, reason, reason.count) == 0
        }
    }

    private func queue(_ kind: UInt8, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var message = wslay_event_msg(
            opcode: kind,
            msg: bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
            msg_length: bytes.count
        )
        return wslay_event_queue_msg(context, &message) == 0
    }

    /// Turns the queue into output, as far as there is room.
    func fillOutput() {
        guard output.hasRoom, hasQueue else { return }
        wslay_event_send(context)
    }
}

// MARK: - What wslay asks for

// The callbacks' context is the framer, unretained: it frees wslay's context when it goes away, and wslay
// calls back only inside the framer's own calls.

extension WebSocketFramer {
    fileprivate func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let rest = input, !rest.isEmpty else {
            wslay_event_set_error(context, CWslay_ERR_WOULDBLOCK)
            return -1
        }
        let part = rest.prefix(buffer.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
        input = rest.dropFirst(part.count)
        return part.count
    }

    fileprivate func put(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = output.append(bytes)
        guard count > 0 else {
            wslay_event_set_error(context, CWslay_ERR_WOULDBLOCK)
            return -1
        }
        return count
    }

    fileprivate func startedFrame(_ frame: wslay_event_on_frame_recv_start_arg) {
        closeBody = frame.opcode == CWslay_CONNECTION_CLOSE ? [] : nil
    }

    fileprivate func received(_ chunk: UnsafeRawBufferPointer) {
        closeBody?.append(contentsOf: chunk)
    }

    fileprivate func received(_ message: wslay_event_on_msg_recv_arg) {
        let body = UnsafeRawBufferPointer(start: message.msg, count: message.msg_length)
        switch message.opcode {
        case CWslay_TEXT_FRAME where body.count <= maximumMessageByteCount:
            events.append(.message(.text(String(decoding: body, as: UTF8.self))))
        case CWslay_BINARY_FRAME where body.count <= maximumMessageByteCount:
            events.append(.message(.binary(Array(body))))
        case CWslay_TEXT_FRAME, CWslay_BINARY_FRAME:
            wslay_event_queue_close(context, Self.messageTooBig, nil, 0)
            end(with: tooBig)
        case CWslay_PONG:
            events.append(.pong(Array(body)))
        case CWslay_CONNECTION_CLOSE:
            let code = message.status_code == 0 ? nil : message.status_code
            end(with: .close(code: code, reason: Array(body.dropFirst(2))))
        default:
            // wslay has put a pong into the queue.
            break
        }
    }
}

private func framer(_ context: UnsafeMutableRawPointer?) -> WebSocketFramer? {
    context.map { Unmanaged<WebSocketFramer>.fromOpaque($0).takeUnretainedValue() }
}

private func wantsBytes(
    _ context: wslay_event_context_ptr,
    _ bytes: UnsafeMutablePointer<UInt8>,
    _ count: Int,
    _ flags: Int32,
    _ user: UnsafeMutableRawPointer?
) -> Int {
    framer(user)?.take(into: UnsafeMutableRawBufferPointer(start: bytes, count: count)) ?? -1
}

private func hasBytes(
    _ context: wslay_event_context_ptr,
    _ bytes: UnsafePointer<UInt8>,
    _ count: Int,
    _ flags: Int32,
    _ user: UnsafeMutableRawPointer?
) -> Int {
    framer(user)?.put(UnsafeRawBufferPointer(start: bytes, count: count)) ?? -1
}

/// RFC 6455 §5.3: an unpredictable mask, so that no page can make a proxy read its bytes as something else.
private func wantsMask(
    _ context: wslay_event_context_ptr,
    _ bytes: UnsafeMutablePointer<UInt8>,
    _ count: Int,
    _ user: UnsafeMutableRawPointer?
) -> Int32 {
    var generator = SystemRandomNumberGenerator()
    withUnsafeBytes(of: generator.next()) { random in
        UnsafeMutableRawBufferPointer(start: bytes, count: count)
            .copyBytes(from: random.prefix(count))
    }
    return 0
}

private func didStartFrame(
    _ context: wslay_event_context_ptr,
    _ frame: UnsafePointer<wslay_event_on_frame_recv_start_arg>,
    _ user: UnsafeMutableRawPointer?
) {
    framer(user)?.startedFrame(frame.pointee)
}

private func didReceiveChunk(
    _ context: wslay_event_context_ptr,
    _ chunk: UnsafePointer<wslay_event_on_frame_recv_chunk_arg>,
    _ user: UnsafeMutableRawPointer?
) {
    let bytes = chunk.pointee
    framer(user)?.received(UnsafeRawBufferPointer(start: bytes.data, count: bytes.data_length))
}

private func didReceiveMessage(
    _ context: wslay_event_context_ptr,
    _ message: UnsafePointer<wslay_event_on_msg_recv_arg>,
    _ user: UnsafeMutableRawPointer?
) {
    framer(user)?.received(message.pointee)
}

/// A frame that a WebSocket connection sends.
enum WebSocketFrame: Hashable, Sendable {
    /// A whole message, in one frame.
    case message(WebSocketMessage)
    case ping([UInt8])
    /// The last frame; without a code, its body is empty.
    case close(code: UInt16?, reason: [UInt8])

    var isPing: Bool {
        switch self {
        case .ping: true
        case .message, .close: false
        }
    }
}

/// A message of the WebSocket protocol (RFC 6455 §5.6).
package enum WebSocketMessage: Hashable, Sendable {
    /// Text, which travels as UTF-8.
    case text(String)
    /// Bytes.
    case binary([UInt8])

    /// The length of the message as it is sent.
    package var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}
