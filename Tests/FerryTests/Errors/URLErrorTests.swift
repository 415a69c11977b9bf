import FerryTransfer
import Foundation
import Testing

@testable import Ferry

@Suite("URLError", .timeLimit(.minutes(5)))
struct URLErrorTests {
    @Test(arguments: TransferError.Code.allCases)
    func `every failure has a code and words of Apple's`(code: TransferError.Code) {
        let expected: [TransferError.Code: Int] = [
            .cancelled: -999, .timedOut: -1001, .resourceTimedOut: -1001, .unsupportedURL: -1002,
            .badURL: -1000, .cannotFindHost: -1003, .cannotConnectToHost: -1004,
            .connectionLost: -1005, .notConnected: -1009, .tooManyRedirects: -1007,
            .redirectToNonHTTP: -1002, .secureConnectionFailed: -1200,
            .serverWithoutTLS: -1200, .proxyAuthenticationRequired: -1013,
            .certificateUntrusted: -1202, .certificateBadDate: -1201,
            .clientCertificateRejected: -1205, .bodyUnreadable: -1021, .bodySpent: -1021,
            .badServerResponse: -1011,
            .serverUnavailable: -1011, .errorResponse: -1011, .linkExpired: -1011,
            .cannotDecodeContent: -1016, .digestMismatch: -1016, .cannotCreateFile: -3000,
            .cannotWriteToFile: -3003, .diskFull: -3003, .fileMissing: -1100,
            .fileChanged: -3001, .fileUnreadable: -1102, .responseTooLong: -1103,
            .resumeDataInvalid: -1002,
            .uploadGone: -1008, .answerLost: -1005, .backgroundSessionInUse: -996,
            .backgroundSessionDisconnected: -997, .fileUnreachable: -3001, .outOfMemory: -1,
            .internalFailure: -1,
        ]
        let error = URLError(TransferError(code: code, message: "why"), url: nil)
        #expect(error.errorCode == expected[code])
        #expect(error.localizedDescription != "The operation couldn’t be completed.")
        #expect(error.userInfo[NSLocalizedFailureReasonErrorKey] as? String == "why")
    }

    @Test func `RD-9 and RD-10: unusable resume data differs by the kind of session`() {
        let error = TransferError(code: .resumeDataInvalid, message: "")
        #expect(URLError(error, url: nil).code == .unsupportedURL)
        #expect(URLError(error, url: nil, isBackground: true).code == .cannotWriteToFile)
    }

    @Test func `an error names the URL that failed, in both entries`() throws {
        let url = try #require(URL(string: "http://example.com/a"))
        let error = URLError(TransferError(code: .cancelled, message: ""), url: url)
        #expect(error.failingURL == url)
        #expect(error.userInfo["NSErrorFailingURLStringKey"] as? String == url.absoluteString)
        #expect(error.localizedDescription == "cancelled")
    }

    @Test func `DL-4: an error about a redirect names its target`() throws {
        let url = try #require(URL(string: "http://example.com/a"))
        let error = TransferError(
            code: .tooManyRedirects,
            message: "",
            failingURL: "http://example.com/z"
        )
        #expect(URLError(error, url: url).failingURL?.path == "/z")
    }

    @Test(arguments: [(TransferError.Code.diskFull, ENOSPC), (.outOfMemory, ENOMEM)])
    func `a full disk and full memory can be told from other failures`(
        code: TransferError.Code,
        number: Int32
    ) throws {
        let error = URLError(TransferError(code: code, message: ""), url: nil)
        let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(underlying.domain == NSPOSIXErrorDomain)
        #expect(underlying.code == Int(number))
    }

    @Test func `RD-10: a missing file is explained by the system's error`() throws {
        let error = URLError(TransferError(code: .fileMissing, message: ""), url: nil)
        let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(underlying.domain == NSPOSIXErrorDomain)
        #expect(underlying.code == 2)
    }

    @Test func `RD-4: resume data is in the error`() {
        let error = URLError(
            TransferError(code: .connectionLost, message: ""),
            url: nil,
            resumeData: Data([1, 2])
        )
        #expect(error.downloadTaskResumeData == Data([1, 2]))
        #expect(URLError(.cancelled).downloadTaskResumeData == nil)
    }

    @Test func `RD-4: an upload's resume data has an entry of its own`() throws {
        let data = Data(
            try UploadResumeData(
                request: TransferRequest(url: "http://example.com/in", method: "PUT"),
                resource: UploadResource(url: "http://example.com/1", language: .tus),
                content: .stream
            ).encoded()
        )
        let error = URLError(
            TransferError(code: .connectionLost, message: ""),
            url: nil,
            resumeData: data
        )
        #expect(error.uploadTaskResumeData == data)
        #expect(error.downloadTaskResumeData == nil)
    }

    @Test(arguments: [
        (0, URLError.BackgroundTaskCancelledReason.userForceQuitApplication),
        (1, .backgroundUpdatesDisabled),
        (2, .insufficientSystemResources),
    ])
    func `BG-39: the reason for a cancellation by the system`(
        number: Int,
        reason: URLError.BackgroundTaskCancelledReason
    ) {
        let key = NSURLErrorBackgroundTaskCancelledReasonKey
        let error = URLError(.cancelled).adding(number, forKey: key)
        #expect(error.backgroundTaskCancelledReason == reason)
        #expect(URLError(.cancelled).backgroundTaskCancelledReason == nil)
    }

    @Test(
        arguments: [
            (.storeUnavailable, .cannotWriteToFile),
            (.disconnected, .backgroundSessionWasDisconnected),
            (.cannotStart, .backgroundSessionWasDisconnected), (.invalidRequest, .unknown),
        ] as [(TransferDaemonError.Code, URLError.Code)]
    )
    func `what the daemon refuses a task for has a code of Apple's`(
        code: TransferDaemonError.Code,
        expected: URLError.Code
    ) {
        let error = URLError(TransferDaemonError(code, message: "why"), url: nil)
        #expect(error.code == expected)
    }
}
