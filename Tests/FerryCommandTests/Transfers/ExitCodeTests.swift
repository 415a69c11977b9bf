import Ferry
import FerryTransfer
import Foundation
import Testing

@testable import FerryCommand

/// The exit codes of transfers.
@Suite(.timeLimit(.minutes(1))) struct ExitCodeTests {
    @Test(arguments: TransferError.Code.allCases)
    func `a failure has one exit code, whether ferryd or the session reports it`(
        failure: TransferError.Code
    ) {
        let error = URLError(failure.urlErrorCode(isBackground: true))
        let byDaemon = ExitCode(Outcome.Reason(code: failure.rawValue, message: ""))
        #expect(byDaemon == ExitCode(Outcome.Reason(error)))
        #expect(byDaemon.isFailure)
    }

    @Test(
        arguments: [
            (.noConnection, [.timedOut, .cannotFindHost, .connectionLost]),
            (.tlsFailed, [.certificateUntrusted, .secureConnectionFailed]),
            (.badResponse, [.errorResponse, .tooManyRedirects, .answerDoubted]),
            (.wrongContent, [.digestMismatch]),
            (.fileUnusable, [.diskFull, .fileMissing]),
            (.failure, [.cancelled, .badURL]),
        ] as [(ExitCode, [TransferError.Code])]
    )
    func `each kind of failure has an exit code`(code: ExitCode, failures: [TransferError.Code]) {
        for failure in failures {
            #expect(ExitCode(Outcome.Reason(code: failure.rawValue, message: "")) == code)
        }
    }

    @Test(
        arguments: [
            (.fileUnusable, .cannotPlace("no room")), (.fileUnusable, .fileMissing("a")),
            (.failure, Outcome.Reason(code: "discarded", message: "")),
        ] as [(ExitCode, Outcome.Reason)]
    )
    func `so have the command's own reasons`(code: ExitCode, reason: Outcome.Reason) {
        #expect(ExitCode(reason) == code)
        #expect(ExitCode(.failed(reason)) == code)
    }

    @Test func `several transfers have the code of those that failed, or the general one`() {
        func joined(_ codes: ExitCode...) -> ExitCode {
            codes.reduce(.success) { $0.joined(with: $1) }
        }
        #expect(joined() == .success)
        #expect(joined(.success, .tlsFailed, .success) == .tlsFailed)
        #expect(joined(.badResponse, .badResponse) == .badResponse)
        #expect(joined(.badResponse, .success, .tlsFailed) == .failure)
        #expect(joined(.badResponse, .tlsFailed, .badResponse) == .failure)
    }
}
