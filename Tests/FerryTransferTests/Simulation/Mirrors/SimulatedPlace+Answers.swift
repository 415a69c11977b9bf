import FerryHTTP

@testable import FerryTransfer

extension SimulatedPlace {
    /// What comes in answer to a request.
    struct Answer {
        /// `nil` when none comes.
        var head: HTTPResponseHead?
        /// Which bytes come, and of what.
        var content = SimulatedContent.errorPage
        var body: Range<Int64> = 0..<0
        /// How many bytes come that were not announced.
        var surplus: Int64 = 0
        /// How it ends.
        var error: HTTPError?
        /// Whether it does not end, but stops.
        var stalls = false
    }

    /// Whether it sends what it is asked for, and says so.
    var isHonest: Bool { [.honoursRanges, .servesInPieces].contains(habit) }

    /// Whether an answer is what it should be, and comes to its end.
    func isHonest(_ answer: Answer) -> Bool {
        let status = answer.head?.status ?? 0
        return isHonest && answer.error == nil && !answer.stalls && (200..<300).contains(status)
    }

    /// Answers a request for all, or for some of it.
    func answer(
        to range: Range<Int64>?,
        condition: String?,
        at address: String,
        isCalm: Bool,
        using generator: inout SeededGenerator
    ) -> Answer {
        if !isCalm {
            if isMissing { return page(404, at: address) }
            if generator.happens(troublePercent / 2),
                let answer = failure(at: address, using: &generator)
            {
                return answer
            }
        }
        var answer = range.flatMap {
            part($0, condition: condition, at: address, using: &generator)
        }
        answer = answer ?? whole(at: address)
        if !isCalm, generator.happens(troublePercent) { answer?.spoil(using: &generator) }
        return answer ?? Answer()
    }

    private func failure(
        at address: String,
        using generator: inout SeededGenerator
    ) -> Answer? {
        switch generator.below(8) {
        case 0..<3:
            let codes: [HTTPError.Code] = [.connectionLost, .timedOut, .cannotConnectToHost]
            let code = codes[generator.below(3)]
            return Answer(error: HTTPError(code: code, message: "simulated"))
        case 3: return Answer(stalls: true)
        case 4: return page(503, [("Retry-After", "1")], at: address)
        case 5: return page(500, at: address)
        case 6: return page(503, at: address)
        default: return nil
        }
    }

    private func page(
        _ status: Int,
        _ fields: [(String, String)] = [],
        at address: String
    ) -> Answer {
        Answer(
            head: head(status, fields, at: address),
            body: 0..<SimulatedContent.errorPage.byteCount
        )
    }

    private func whole(at address: String) -> Answer {
        // Of servers that ignore ranges, some say so.
        let refusal = content.byteCount.isMultiple(of: 2) ? [] : [("Accept-Ranges", "none")]
        let ranges = habit == .ignoresRanges ? refusal : [("Accept-Ranges", "bytes")]
        let length = [("Content-Length", "\(content.byteCount)")]
        return Answer(
            head: head(200, validators + digestFields + length + ranges, at: address),
            content: content,
            body: 0..<content.byteCount
        )
    }

    private func part(
        _ range: Range<Int64>,
        condition: String?,
        at address: String,
        using generator: inout SeededGenerator
    ) -> Answer? {
        guard habit != .ignoresRanges, matches(condition) || habit == .ignoresConditions else {
            return nil
        }
        let total = content.byteCount
        guard range.lowerBound < total, habit != .refusesRanges else {
            let answer = [("Content-Range", "bytes */\(total)")]
            return Answer(head: head(416, answer, at: address))
        }
        var body = range.clamped(to: 0..<total)
        if habit == .servesInPieces, generator.happens(50) {
            let count = 1 + Int64(generator.below(Int(body.byteCount)))
            body = body.lowerBound..<body.lowerBound + count
        }
        var told = body
        if habit == .misreports {
            let shift = Int64(1 + generator.below(3))
            told = max(0, body.lowerBound - shift)..<body.upperBound - min(shift, body.lowerBound)
        }
        let text = "bytes \(told.lowerBound)-\(told.upperBound - 1)/\(total)"
        return Answer(
            head: head(206, validators + digestFields + [("Content-Range", text)], at: address),
            content: content,
            body: body,
            surplus: habit == .overruns && generator.happens(50) ? 3 : 0
        )
    }

    private func head(
        _ status: Int,
        _ fields: [(String, String)],
        at address: String
    ) -> HTTPResponseHead {
        HTTPResponseHead(
            status: status,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: address
        )
    }
}

extension SimulatedPlace.Answer {
    /// Has it stop somewhere, perhaps just before its end.
    fileprivate mutating func spoil(using generator: inout SeededGenerator) {
        let kept = Int64(generator.below(Int(body.byteCount) + 1))
        surplus = 0
        body = body.lowerBound..<body.lowerBound + kept
        if generator.happens(40) {
            stalls = true
        } else {
            error = HTTPError(code: .connectionLost, message: "simulated")
        }
    }
}
