import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite("Decisions of a request about the cache", .timeLimit(.minutes(5)))
struct CacheTransactionTests {
    typealias Fixtures = CacheFixtures
    typealias Fields = [(String, String)]
    typealias Plan = CacheTransaction.Plan

    private static let fetch = Plan.fetch(adding: [])
    private static let condition = Plan.fetch(
        adding: [HTTPField(name: "If-None-Match", value: "\"a\"")]
    )
    private static let reload = Plan.fetch(
        adding: Fixtures.fields([("Cache-Control", "no-cache"), ("Pragma", "no-cache")])
    )

    private let stored = Fixtures.stored(Fixtures.tagged)

    private func plan(
        _ policy: CachePolicy,
        _ request: TransferRequest = Fixtures.request(),
        found: StoredResponse?,
        after seconds: Int64 = 0
    ) -> Plan {
        var transaction = CacheTransaction(request: request, policy: policy)
        return transaction.lookedUp(found, at: Fixtures.after(seconds))
    }

    // MARK: - Before

    @Test(
        arguments: [
            (.useProtocolCachePolicy, fetch), (.reloadIgnoringLocalCacheData, fetch),
            (.reloadIgnoringLocalAndRemoteCacheData, reload), (.returnCacheDataElseLoad, fetch),
            (.returnCacheDataDontLoad, .fail), (.reloadRevalidatingCacheData, fetch),
        ] as [(CachePolicy, Plan)]
    )
    func `each policy has a plan where nothing is stored`(policy: CachePolicy, expected: Plan) {
        #expect(plan(policy, found: nil) == expected)
    }

    @Test func `each policy has a plan for a fresh response`() {
        let use = Plan.useStored(stored)
        #expect(plan(.useProtocolCachePolicy, found: stored, after: 59) == use)
        #expect(plan(.reloadIgnoringLocalCacheData, found: stored) == Self.fetch)
        #expect(plan(.reloadIgnoringLocalAndRemoteCacheData, found: stored) == Self.reload)
        #expect(plan(.returnCacheDataElseLoad, found: stored) == use)
        #expect(plan(.returnCacheDataDontLoad, found: stored) == use)
        #expect(plan(.reloadRevalidatingCacheData, found: stored) == Self.condition)
    }

    @Test func `each policy has a plan for a stale response`() {
        let use = Plan.useStored(stored)
        #expect(plan(.useProtocolCachePolicy, found: stored, after: 60) == Self.condition)
        #expect(plan(.reloadIgnoringLocalCacheData, found: stored, after: 60) == Self.fetch)
        #expect(plan(.returnCacheDataElseLoad, found: stored, after: 60) == use)
        #expect(plan(.returnCacheDataDontLoad, found: stored, after: 60) == use)
        #expect(plan(.reloadRevalidatingCacheData, found: stored, after: 60) == Self.condition)
    }

    @Test func `a stale response that cannot be validated is fetched anew`() {
        let stored = Fixtures.stored([("Cache-Control", "max-age=60")])
        #expect(plan(.useProtocolCachePolicy, found: stored, after: 60) == Self.fetch)
        #expect(plan(.reloadRevalidatingCacheData, found: stored) == Self.fetch)
    }

    @Test(arguments: CachePolicy.allCases)
    func `a response to a request that differs is as good as none`(policy: CachePolicy) {
        let stored = Fixtures.stored(
            Fixtures.tagged + [("Vary", "Accept")],
            requestFields: [("Accept", "a")]
        )
        let request = Fixtures.request([("Accept", "b")])
        #expect(plan(policy, request, found: stored) == plan(policy, request, found: nil))
    }

    @Test func `a request may ask for the cache only`() {
        let request = Fixtures.request([("Cache-Control", "only-if-cached")])
        #expect(plan(.useProtocolCachePolicy, request, found: nil) == .fail)
        #expect(plan(.useProtocolCachePolicy, request, found: stored, after: 60) == .fail)
        #expect(
            plan(.useProtocolCachePolicy, request, found: stored, after: 59) == .useStored(stored)
        )
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "HEAD"])
    func `other methods are not answered from the cache`(method: String) {
        let request = Fixtures.request(method: method)
        for policy in CachePolicy.allCases {
            #expect(!CacheTransaction(request: request, policy: policy).needsLookup)
            #expect(plan(policy, request, found: stored) == plan(policy, request, found: nil))
        }
    }

    @Test(arguments: [
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "if-range",
    ])
    func `an app's own condition goes to the server`(name: String) {
        let request = Fixtures.request([(name, "\"x\"")])
        #expect(plan(.useProtocolCachePolicy, request, found: stored) == Self.fetch)
        #expect(plan(.reloadRevalidatingCacheData, request, found: stored) == Self.fetch)
        #expect(plan(.returnCacheDataElseLoad, request, found: stored) == .useStored(stored))
    }

    @Test func `a range is not answered by the whole`() {
        let request = Fixtures.request([("Range", "bytes=0-9")])
        for policy in CachePolicy.allCases {
            #expect(plan(policy, request, found: stored) == plan(policy, request, found: nil))
        }
    }

    @Test func `what an app says to caches on the way stands`() {
        let own = Fixtures.request([("Cache-Control", "max-age=5")])
        #expect(plan(.reloadIgnoringLocalAndRemoteCacheData, own, found: nil) == Self.fetch)
        let pragma = Fixtures.request([("Pragma", "x")])
        #expect(
            plan(.reloadIgnoringLocalAndRemoteCacheData, pragma, found: nil)
                == .fetch(adding: [HTTPField(name: "Cache-Control", value: "no-cache")])
        )
    }

    @Test func `what is not to be used need not be looked up`() {
        let needy = CachePolicy.allCases.filter {
            CacheTransaction(request: Fixtures.request(), policy: $0).needsLookup
        }
        #expect(
            needy == [
                .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad,
                .reloadRevalidatingCacheData,
            ]
        )
    }
}
