import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct LinkPatienceTests {
    private var patience = LinkPatience()

    /// How often the app is asked while no address brings anything.
    private mutating func askInVain(at receivedByteCount: Int64) -> Int {
        (0..<100).count { _ in
            let isAsked = patience.expired(receivedByteCount: receivedByteCount)
            if isAsked { patience.replaced() }
            return isAsked
        }
    }

    @Test mutating func `an app is asked five times for an address that brings something`() {
        let count = askInVain(at: 100)
        #expect(count == 5)
        #expect(patience.isExhausted)
    }

    @Test mutating func `an address that has brought something is followed by five more`() {
        for _ in 0..<4 {
            let isAsked = patience.expired(receivedByteCount: 100)
            #expect(isAsked)
            patience.replaced()
        }
        let count = askInVain(at: 101)
        #expect(count == 5)
    }

    @Test mutating func `questions that nobody has answered do not count`() {
        let count = (0..<100).count { _ in patience.expired(receivedByteCount: 100) }
        #expect(count == 100)
    }

    @Test mutating func `an app that has no address is not asked again`() {
        let isAsked = patience.expired(receivedByteCount: 100)
        #expect(isAsked)
        patience.decline()
        #expect(patience.isExhausted)
    }

    @Test mutating func `an address that nobody has asked for is worth questions again`() {
        let count = askInVain(at: 100)
        #expect(count == 5)
        patience.renew()
        #expect(!patience.isExhausted)
        let countAfterwards = askInVain(at: 100)
        #expect(countAfterwards == 5)
    }
}
