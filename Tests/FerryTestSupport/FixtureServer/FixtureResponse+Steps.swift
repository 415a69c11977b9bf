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
