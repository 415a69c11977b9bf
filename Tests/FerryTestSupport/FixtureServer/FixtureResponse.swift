/// One response, with everything that is to go wrong with it.
package struct FixtureResponse: Sendable {
    /// How the end of the body is told.
    package enum Framing: Sendable, Hashable {
        /// By the body's true `Content-Length`.
        case contentLength
        /// By this `Content-Length`, whatever is sent.
        case claimed(contentLength: Int64)
        /// By `Transfer-Encoding: chunked`, in chunks of this size.
        case chunked(byteCount: Int)
        /// By the end of the connection.
        case untilClose
    }

    /// What happens at a place in the body.
    package enum Incident: Sendable {
        /// The connection ends in good order (FIN), what was sent arrives.
        case drop
        /// The connection is reset (RST); what the client has not taken yet may be lost.
        case reset
        /// Nothing more is sent until the gate is open.
        case stall(FixtureGate)
    }

    /// The status.
    package var status: Int
    /// The fields beside those that the framing needs.
    package var fields: [(name: String, value: String)] = []
    /// Where the body comes from.
    package var content: FixtureContent
    /// The part of the content to send, all of it by default.
    package var part: Range<Int64>
    /// How the end of the body is told.
    package var framing = Framing.contentLength
    /// What happens after how many bytes of this body; several may be given.
    package var incidents: [(afterByteCount: Int64, incident: Incident)] = []
    /// How fast the body is sent at most.
    package var bytesPerSecond: Int64?
    /// Interim responses (1xx) to send first.
    package var interim: [(status: Int, fields: [(name: String, value: String)])] = []
    /// Fields after the last chunk of a chunked body.
    package var trailers: [(name: String, value: String)] = []
    /// Before what gate nothing at all is sent.
    package var gate: FixtureGate?
    /// Exactly what to send in place of all of the above.
    package var script: [FixtureStep]?

    /// Makes a response without any faults.
    package init(status: Int, content: FixtureContent = .empty) {
        self.status = status
        self.content = content
        part = 0..<content.byteCount
    }
}

extension FixtureResponse {
    /// What is to be done for this response, in order.
    func steps(for request: FixtureRequest) -> [FixtureStep] {
        if let script { return script }
        var steps = gate.map { [FixtureStep.wait($0)] } ?? []
        steps += interim.map { FixtureStep.send(Self.head($0.status, $0.fields)) }
        steps.append(.send(Self.head(status, fields + framingFields)))
        guard request.method != "HEAD", status != 204, status != 304 else { return steps }
        return steps + bodySteps
    }

    /// Whether another request may follow on the connection.
    func keepsConnection(after request: FixtureRequest) -> Bool {
        framing != .untilClose && request["Connection"] != "close"
    }

    private var framingFields: [(name: String, value: String)] {
        switch framing {
        case .contentLength where status == 204 || status == 304: []
        case .contentLength: [("Content-Length", String(part.count))]
        case .claimed(let length): [("Content-Length", String(length))]
        case .chunked: [("Transfer-Encoding", "chunked")]
        case .untilClose: [("Connection", "close")]
        }
    }

    private var bodySteps: [FixtureStep] {
        var steps: [FixtureStep] = []
        var next = part.lowerBound
        for (count, incident) in incidents.sorted(by: { $0.afterByteCount < $1.afterByteCount }) {
            let place = min(part.lowerBound + count, part.upperBound)
            steps += dataSteps(next..<max(next, place))
            next = max(next, place)
            switch incident {
            case .drop: return steps + [.close]
            case .reset: return steps + [.reset]
            case .stall(let gate): steps.append(.wait(gate))
            }
        }
        steps += dataSteps(next..<part.upperBound)
        switch framing {
        case .chunked:
            steps.append(.send(Array("0\r\n".utf8) + Self.lines(trailers) + Array("\r\n".utf8)))
        case .claimed(let length) where length > part.count:
            steps.append(.close)
        case .contentLength, .claimed, .untilClose:
            break
        }
        return steps
    }

    private func dataSteps(_ range: Range<Int64>) -> [FixtureStep] {
        guard !range.isEmpty else { return [] }
        guard case .chunked(let size) = framing else {
            return [.sendBody(content, range, bytesPerSecond: bytesPerSecond)]
        }
        return stride(from: range.lowerBound, to: range.upperBound, by: size).flatMap { start in
            let chunk = start..<min(start + Int64(size), range.upperBound)
            return [
                .text(String(chunk.count, radix: 16) + "\r\n"),
                .sendBody(content, chunk, bytesPerSecond: bytesPerSecond),
                .text("\r\n"),
            ] as [FixtureStep]
        }
    }

    private static func head(_ status: Int, _ fields: [(name: String, value: String)]) -> [UInt8] {
        Array("HTTP/1.1 \(status) Fixture\r\n".utf8) + lines(fields) + Array("\r\n".utf8)
    }

    private static func lines(_ fields: [(name: String, value: String)]) -> [UInt8] {
        fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
    }
}

/// One thing that a ``FixtureServer`` does to a connection.
package enum FixtureStep: Sendable {
    /// Sends these bytes, which do not count as the body.
    case send([UInt8])
    /// Sends a part of a content, as the body.
    case sendBody(FixtureContent, Range<Int64>, bytesPerSecond: Int64?)
    /// Sends these bytes over and over, until the client goes away.
    case sendForever([UInt8])
    /// Waits until the gate is open.
    case wait(FixtureGate)
    /// Carries bytes to a port on loopback and back, until either side ends.
    case tunnel(to: UInt16)
    /// Ends the connection in good order.
    case close
    /// Resets the connection.
    case reset

    /// Sends this text.
    package static func text(_ text: String) -> FixtureStep { .send(Array(text.utf8)) }
}
