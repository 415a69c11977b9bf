@testable import FerryHTTP

extension FuzzTarget {
    /// The answer to a handshake is the same however the bytes arrive, and needs the proof.
    static let webSocketHandshake = FuzzTarget("web-socket-handshake", upTo: 512) {
        input throws(Finding) in
        var input = input
        let step = 1 + Int(input.takeNumber() % 64)
        let bytes = input.rest
        let (whole, used) = handshake(bytes, step: max(1, bytes.count))
        let (parts, usedOfParts) = handshake(bytes, step: step)
        try expect(whole == parts, "\(whole) is not \(parts)")
        try expectSame(used, usedOfParts, "the bytes of the head")
        guard case .accepted(let head, let chosen) = whole else { return }
        try expectSame(
            head.fields.values(named: "Sec-WebSocket-Accept"),
            ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="],
            "the proof"
        )
        try expect(chosen.map { ["chat", "soap"].contains($0) } ?? true, "\(chosen ?? "")")
    }

    private static func handshake(
        _ bytes: [UInt8],
        step: Int
    ) -> (WebSocketHandshake.Progress, used: Int) {
        let request = WebSocketRequest(url: "ws://example.com/", protocols: ["chat", "soap"])
        // The key and its proof are those of RFC 6455 §1.3.
        var handshake = WebSocketHandshake(
            request,
            key: "dGhlIHNhbXBsZSBub25jZQ==",
            maximumHeaderByteCount: 1024
        )
        var start = 0
        while start < bytes.count {
            let end = min(start + step, bytes.count)
            let (progress, rest) = bytes.withUnsafeBytes { buffer in
                var slice = buffer[start..<end]
                return (handshake.receive(&slice), slice.count)
            }
            guard case .incomplete = progress else { return (progress, end - rest) }
            start = end
        }
        return (.incomplete, bytes.count)
    }

    /// Frames are the same however the bytes arrive, and no message is greater than the limit.
    static let webSocketFrames = FuzzTarget("web-socket-frames", upTo: 320) {
        input throws(Finding) in
        var input = input
        let step = 1 + Int(input.takeNumber() % 64)
        let limit = Int(input.takeNumber())
        let bytes = input.rest
        let whole = try frames(bytes, step: max(1, bytes.count), limit: limit)
        let parts = try frames(bytes, step: step, limit: limit)
        // wslay reads the reason of a close frame by the pieces in which it arrives, and finds fault with it
        // in one way that it overlooks in another: after either, nothing more is read.
        try expectSame(whole.messages, parts.messages, "messages in steps of \(step)")
        let ends = whole.indices.filter { index in
            switch whole[index] {
            case .close, .failure: true
            case .message, .pong: false
            }
        }
        try expect(ends.allSatisfy { $0 == whole.count - 1 }, "something follows the end")
        for case .message(let message) in whole {
            try expect(message.byteCount <= limit, "a message of \(message.byteCount) bytes")
        }
    }

    private static func frames(
        _ bytes: [UInt8],
        step: Int,
        limit: Int
    ) throws(Finding) -> [WebSocketFramer.Event] {
        guard let framer = try? WebSocketFramer(maximumMessageByteCount: limit) else {
            throw Finding(description: "wslay cannot be set up")
        }
        var events: [WebSocketFramer.Event] = []
        var start = 0
        while start < bytes.count {
            let end = min(start + step, bytes.count)
            events += bytes.withUnsafeBytes { buffer in
                framer.receive(UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
            }
            framer.fillOutput()
            start = end
        }
        return events
    }
}

extension [WebSocketFramer.Event] {
    /// What is not the end.
    fileprivate var messages: [WebSocketFramer.Event] {
        filter { event in
            switch event {
            case .message, .pong: true
            case .close, .failure: false
            }
        }
    }
}

extension HTTPField {
    /// Reads a name and a value, as far as they are such.
    init?(line: String) {
        let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, !halves[0].isEmpty else { return nil }
        self.init(name: String(halves[0]), value: String(halves[1].drop { $0 == " " }))
    }
}
