import FerryHTTP
import Testing

@testable import FerryTransfer

/// One client with a cache, and a server whose resources change, for as many steps as a test wants.
struct CacheHistory {
    /// A resource in two languages.
    private struct Resource {
        var version = 0
        /// When each former version was replaced, and whether by this client.
        var ends: [(time: HTTPDate, isOurs: Bool)] = []
        let maxAge: Int64 = 60
        var hasTag = true
    }

    private struct Kept {
        var response: StoredResponse
        var body: String
    }

    private(set) var hitCount = 0
    private(set) var confirmationCount = 0
    private var now = CacheFixtures.start
    private var resources = ["https://host/a": Resource(), "https://host/b": Resource()]
    private var kept: [String: Kept] = [:]
    private var chance: SeededGenerator

    init(seed: UInt64) {
        chance = SeededGenerator(seed: seed)
    }

    mutating func step() throws {
        now = HTTPDate(secondsSince1970: now.secondsSince1970 + Int64(chance.below(20)))
        let url = try #require(resources.keys.sorted().randomElement(using: &chance))
        if chance.happens(10) {
            change(url, isOurs: false)
        } else {
            try request(url)
        }
    }

    // MARK: - The server

    private mutating func change(_ url: String, isOurs: Bool) {
        guard var resource = resources[url] else { return }
        resource.ends.append((now, isOurs))
        resource.version += 1
        resource.hasTag = chance.happens(80)
        resources[url] = resource
    }

    private static func body(_ url: String, _ version: Int, _ language: String) -> String {
        "\(url) \(version) \(language)"
    }

    private mutating func serve(
        _ request: TransferRequest,
        _ language: String
    ) -> (head: HTTPResponseHead, body: String) {
        let url = request.url
        guard let resource = resources[url] else { return (head(status: 404, [], url), "") }
        if chance.happens(5) { return (head(status: 503, [], url), "busy") }
        if request.method == "POST" {
            change(url, isOurs: true)
            return (head(status: 204, [], url), "")
        }
        let tag = "\"\(resource.version)-\(language)\""
        var fields = [("Cache-Control", "max-age=\(resource.maxAge)"), ("Vary", "Accept-Language")]
        if resource.hasTag { fields.append(("ETag", tag)) }
        if resource.hasTag, request.fields.first(named: "If-None-Match") == tag {
            return (head(status: 304, fields, url), "")
        }
        return (head(status: 200, fields, url), Self.body(url, resource.version, language))
    }

    private func head(status: Int, _ fields: [(String, String)], _ url: String) -> HTTPResponseHead
    {
        HTTPResponseHead(status: status, fields: CacheFixtures.fields(fields), url: url)
    }

    // MARK: - The client

    private mutating func request(_ url: String) throws {
        let language = chance.happens(80) ? "de" : "fr"
        let method = chance.happens(10) ? "POST" : "GET"
        let policy = try #require(
            chance.happens(60)
                ? .useProtocolCachePolicy : CachePolicy.allCases.randomElement(using: &chance)
        )
        let request = CacheFixtures.request(
            [("Accept-Language", language)],
            method: method,
            url: url
        )
        var transaction = CacheTransaction(request: request, policy: policy)
        switch transaction.lookedUp(kept[url]?.response, at: now) {
        case .useStored:
            hitCount += 1
            try checkHit(url, language, policy)
        case .fail:
            #expect(policy == .returnCacheDataDontLoad)
            if method == "GET" { #expect(kept[url]?.body.hasSuffix(language) != true) }
        case .fetch(let added):
            #expect(policy != .returnCacheDataDontLoad)
            var sent = request
            sent.fields += added
            let answer = serve(sent, language)
            try finish(&transaction, answer, language)
        }
    }

    private mutating func finish(
        _ transaction: inout CacheTransaction,
        _ answer: (head: HTTPResponseHead, body: String),
        _ language: String
    ) throws {
        let url = transaction.request.url
        let outcome = transaction.answered(
            with: answer.head,
            usesCredential: false,
            requestTime: now,
            responseTime: now
        )
        switch outcome {
        case .deliver(let proposed, let urls):
            #expect(answer.head.status != 304, "the app has set no condition")
            for url in urls { kept[url] = nil }
            if let proposed { kept[url] = Kept(response: proposed, body: answer.body) }
        case .useStored(let freshened, let isKept):
            confirmationCount += 1
            let body = try #require(kept[url]?.body)
            let version = try #require(resources[url]?.version)
            #expect(body == Self.body(url, version, language), "a 304 is for another version")
            kept[url] = isKept ? Kept(response: freshened, body: body) : nil
        case .fetchAgain:
            Issue.record("an honest server confirms what it was asked about only")
        }
    }

    private func checkHit(_ url: String, _ language: String, _ policy: CachePolicy) throws {
        let body = try #require(kept[url]?.body)
        let resource = try #require(resources[url])
        let words = body.split(separator: " ")
        #expect(words.last.map { String($0) } == language)
        #expect(words.first.map { String($0) } == url)
        let version = try #require(Int(words[1]))
        guard version < resource.version else { return }
        #expect(!resource.ends[version...].contains { $0.isOurs }, "what we changed is used")
        guard policy == .useProtocolCachePolicy else { return }
        let staleness = now.secondsSince1970 - resource.ends[version].time.secondsSince1970
        #expect(staleness < resource.maxAge, "a version is used longer than the server allows")
    }
}

@Suite("Histories of a client with a cache", .timeLimit(.minutes(5)))
struct CacheHistoryTests {
    @Test(arguments: 0..<25 as Range<UInt64>)
    func `what is used is what the server allows`(seed: UInt64) throws {
        var history = CacheHistory(seed: seed)
        for _ in 0..<300 { try history.step() }
        #expect(history.hitCount > 0)
        #expect(history.confirmationCount > 0)
    }
}
