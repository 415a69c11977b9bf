import FerryTransfer
import Testing

@testable import Ferry

@Suite(.timeLimit(.minutes(5))) struct AttemptsTests {
    private let retry = {
        var retry = TransferOptions.Retry()
        retry.maximumAttempts = 4
        retry.maximumUnansweredAttempts = 2
        return retry
    }()

    private func error(_ code: TransferError.Code) -> TransferError {
        TransferError(code: code, message: "")
    }

    @Test func `USE-4: attempts without a network do not count, and become rarer`() {
        var attempts = Attempts()
        let delays = (0..<20).map { _ in attempts.delay(after: error(.notConnected), by: retry) }
        #expect(!delays.contains(nil))
        #expect((delays.last ?? nil).map { $0 > .seconds(60) } == true)
        #expect(attempts.delay(after: error(.cannotConnectToHost), by: retry) != nil)
        #expect(attempts.delay(after: error(.cannotConnectToHost), by: retry) == nil)
    }

    @Test func `USE-4: bytes that come have refusals counted from the beginning`() {
        var attempts = Attempts()
        for _ in 0..<3 {
            #expect(attempts.unavailableResponses(by: retry) == .fail)
            #expect(attempts.delay(after: error(.serverUnavailable), by: retry) != nil)
        }
        #expect(attempts.unavailableResponses(by: retry) == .deliver)
        attempts.progressed(to: 10)
        #expect(attempts.unavailableResponses(by: retry) == .fail)
    }

    @Test func `USE-4: a server that has sent no more than a head has answered`() {
        var attempts = Attempts()
        attempts.responded()
        for _ in 0..<3 {
            #expect(attempts.delay(after: error(.connectionLost), by: retry) != nil)
        }
        #expect(attempts.delay(after: error(.connectionLost), by: retry) == nil)
    }
}
