import FerryTransfer
import Testing

@testable import Ferry

@Suite(.timeLimit(.minutes(5))) struct AttemptsTests {
    private let options = {
        var retry = TransferOptions.Retry()
        retry.maximumAttempts = 4
        retry.maximumUnansweredAttempts = 2
        var options = TransferOptions()
        options.retry = retry
        return options
    }()

    private func error(_ code: TransferError.Code, holdsBytes: Bool = false) -> TransferError {
        TransferError(code: code, message: "", holdsBytes: holdsBytes)
    }

    @Test func `USE-4: attempts without a network do not count, and become rarer`() {
        var attempts = Attempts()
        let delays = (0..<20).map { _ in attempts.delay(after: error(.notConnected), by: options) }
        #expect(!delays.contains(nil))
        #expect((delays.last ?? nil).map { $0 > .seconds(60) } == true)
        #expect(attempts.delay(after: error(.cannotConnectToHost), by: options) != nil)
        #expect(attempts.delay(after: error(.cannotConnectToHost), by: options) == nil)
    }

    @Test func `USE-4: bytes that come have refusals counted from the beginning`() {
        var attempts = Attempts()
        for _ in 0..<3 {
            #expect(attempts.unavailableResponses(by: options.retry) == .fail)
            #expect(attempts.delay(after: error(.serverUnavailable), by: options) != nil)
        }
        #expect(attempts.unavailableResponses(by: options.retry) == .deliver)
        attempts.progressed(to: 10)
        #expect(attempts.unavailableResponses(by: options.retry) == .fail)
    }

    @Test func `USE-4: a server that has sent no more than a head has answered`() {
        var attempts = Attempts()
        attempts.responded()
        for _ in 0..<3 {
            #expect(attempts.delay(after: error(.connectionLost), by: options) != nil)
        }
        #expect(attempts.delay(after: error(.connectionLost), by: options) == nil)
    }

    @Test func `KEEP-2: an expired link is waited for only by who wants that`() {
        var options = TransferOptions()
        var attempts = Attempts()
        let expired = error(.linkExpired)
        #expect(attempts.delay(after: expired, by: options) == nil)
        options.retry = TransferOptions.Retry()
        #expect(attempts.delay(after: expired, by: options) == nil)
        options.holdsExpiredLinks = true
        #expect(attempts.delay(after: expired, by: options) != nil)
        options.retry = nil
        #expect(attempts.delay(after: expired, by: options) != nil)
        #expect(attempts.delay(after: error(.connectionLost), by: options) == nil)
    }

    @Test func `KEEP-1: what a portal does to a connection passes, if there are bytes to lose`() {
        for code in [
            TransferError.Code.certificateUntrusted, .certificateBadDate, .tooManyRedirects,
            .redirectToNonHTTP, .badServerResponse,
        ] {
            var attempts = Attempts()
            #expect(attempts.delay(after: error(code, holdsBytes: true), by: options) != nil)
            #expect(attempts.delay(after: error(code), by: options) == nil)
        }
    }
}
