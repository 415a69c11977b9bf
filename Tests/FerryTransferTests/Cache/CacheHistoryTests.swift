import Testing

@testable import FerryTransfer

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
