import FerryHTTP

@testable import FerryTransfer

/// A server with one resource that changes, and habits that are drawn by lot.
struct SimulatedServer {
    /// What it says about versions.
    enum Validation: CaseIterable {
        case strongETag
        case weakETag
        case lastModified
        case nothing
    }

    /// How it treats a request for the rest.
    enum Ranges: CaseIterable {
        case honoured
        case ignored
        case servedWhateverTheVersion
        case servedInPieces
        case misreported
        case overrun
        case refused
        case cutOff
    }

    /// One response.
    struct Exchange {
        /// `nil` when none comes.
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        var error: HTTPError?
    }

    static let url = "http://host/file"
    static let errorPage = Array("not found".utf8)

    /// All versions that there were; the last is the present one.
    private(set) var versions: [[UInt8]] = []
    private let validation: Validation
    private let ranges: Ranges
    private let isChunked: Bool
    /// Whether anything goes wrong.
    var isCalm = false

    init(using generator: inout SeededGenerator) {
        validation = Validation.allCases[generator.below(Validation.allCases.count)]
        ranges = Ranges.allCases[generator.below(Ranges.allCases.count)]
        isChunked = generator.happens(30)
        change(using: &generator)
    }

    /// Makes a new version, often of the same length.
    mutating func change(using generator: inout SeededGenerator) {
        let longest = generator.happens(30) ? 9000 : 1000
        let length = versions.last.map(\.count) ?? generator.below(longest)
        let newLength = generator.happens(60) ? length : generator.below(longest)
        versions.append((0..<newLength).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    mutating func answer(
        to request: Download.StateMachine.Request,
        using generator: inout SeededGenerator
    ) -> Exchange {
        if !isCalm, generator.happens(8) { change(using: &generator) }
        if !isCalm, let fault = fault(for: request, using: &generator) { return fault }
        var exchange = request.resumption.map { part(for: $0, using: &generator) } ?? whole()
        if !isCalm, generator.happens(60) {
            exchange.body.removeLast(generator.below(exchange.body.count + 1))
            exchange.error = HTTPError(code: .connectionLost, message: "simulated")
        }
        return exchange
    }

    private func fault(
        for request: Download.StateMachine.Request,
        using generator: inout SeededGenerator
    ) -> Exchange? {
        switch generator.below(100) {
        case 0..<10:
            let codes: [HTTPError.Code] = [.connectionLost, .timedOut, .cannotConnectToHost]
            return Exchange(error: HTTPError(code: codes[generator.below(3)], message: "simulated"))
        case 10..<15:
            return Exchange(head: head(503, [("Retry-After", "1")]), body: Self.errorPage)
        case 15..<17:
            return Exchange(head: head(500, []), body: Self.errorPage)
        case 17..<22:
            let query = request.transfer.url.contains("?") ? "" : "?signed"
            return Exchange(head: head(302, [("Location", "/file" + query)]))
        case 22..<23:
            return Exchange(head: head(404, []), body: Self.errorPage)
        case 23..<28 where request.resumption != nil:
            // A captive portal is in between.
            let type = [("Content-Type", "text/html; charset=utf-8")]
            return Exchange(
                head: head(200, type + [("Content-Length", "\(Self.errorPage.count)")]),
                body: Self.errorPage
            )
        default:
            return nil
        }
    }

    private var present: [UInt8] { versions[versions.count - 1] }

    private func whole() -> Exchange {
        let length = isChunked ? [] : [("Content-Length", "\(present.count)")]
        return Exchange(
            head: head(200, validators + length + [("Accept-Ranges", "bytes")]),
            body: present
        )
    }

    private func part(
        for resumption: Resumption,
        using generator: inout SeededGenerator
    ) -> Exchange {
        let condition = resumption.fields.dropFirst().first?.value
        let isSame = condition.map { value in validators.contains { $0.1 == value } } ?? true
        guard ranges != .ignored, isSame || ranges == .servedWhateverTheVersion else {
            return whole()
        }
        let start = Int(resumption.offset)
        guard start < present.count, ranges != .refused else {
            return Exchange(head: head(416, [("Content-Range", "bytes */\(present.count)")]))
        }
        var end = min(present.count, resumption.gap.map { Int($0.upperBound) } ?? .max)
        var first = start
        var body = Array(present[start..<end])
        switch ranges {
        case .honoured, .ignored, .servedWhateverTheVersion, .refused: break
        case .servedInPieces:
            end = start + 1 + generator.below(end - start)
            body = Array(present[start..<end])
        case .misreported: first = max(0, start - 1 - generator.below(3))
        case .overrun: body += [1, 2, 3]
        case .cutOff:
            return Exchange(error: HTTPError(code: .connectionLost, message: "simulated"))
        }
        let range = ("Content-Range", "bytes \(first)-\(end - 1)/\(present.count)")
        return Exchange(head: head(206, validators + [range]), body: body)
    }

    private var validators: [(String, String)] {
        let number = versions.count
        return switch validation {
        case .strongETag: [("ETag", "\"\(number)\"")]
        case .weakETag: [("ETag", "W/\"\(number)\"")]
        case .lastModified:
            [
                ("Last-Modified", "Sun, 01 Jan \(1000 + number) 00:00:00 GMT"),
                ("Date", "Sun, 01 Jan 9999 00:00:00 GMT"),
            ]
        case .nothing: []
        }
    }

    private func head(_ status: Int, _ fields: [(String, String)]) -> HTTPResponseHead {
        HTTPResponseHead(
            status: status,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: Self.url
        )
    }
}
