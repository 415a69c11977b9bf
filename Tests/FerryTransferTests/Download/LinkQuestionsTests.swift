import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct LinkQuestionsTests {
    private var questions = LinkQuestions()

    /// How often the app is asked while no address brings anything.
    private mutating func askInVain(at receivedByteCount: Int64) -> Int {
        (0..<100).count { _ in
            let isAsked = questions.expired(receivedByteCount: receivedByteCount)
            if isAsked { questions.replaced() }
            return isAsked
        }
    }

    @Test mutating func `an app is asked five times for an address that brings something`() {
        let count = askInVain(at: 100)
        #expect(count == 5)
        #expect(questions.isExhausted)
    }

    @Test mutating func `an address that has brought something is followed by five more`() {
        for _ in 0..<4 {
            let isAsked = questions.expired(receivedByteCount: 100)
            #expect(isAsked)
            questions.replaced()
        }
        let count = askInVain(at: 101)
        #expect(count == 5)
    }

    @Test mutating func `questions that nobody has answered do not count`() {
        let count = (0..<100).count { _ in questions.expired(receivedByteCount: 100) }
        #expect(count == 100)
    }

    @Test mutating func `an app that has no address is not asked again`() {
        let isAsked = questions.expired(receivedByteCount: 100)
        #expect(isAsked)
        questions.decline()
        #expect(questions.isExhausted)
    }

    @Test mutating func `an address that nobody has asked for is worth questions again`() {
        let count = askInVain(at: 100)
        #expect(count == 5)
        questions.renew()
        #expect(!questions.isExhausted)
        let countAfterwards = askInVain(at: 100)
        #expect(countAfterwards == 5)
    }
}
