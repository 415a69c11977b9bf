import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import Glibc
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
            .answerDoubted: -1011,
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

    /// Reasons as the layers below word them, and what an app shows of them.
    static let reasons: [(String, String)] = [
        ("the server answers 404", "The server answers 404."),
        ("Could not resolve host: nowhere.example", "Could not resolve host: nowhere.example."),
        ("It is full.", "It is full."), ("really?", "Really?"),
        ("the\n server\thas\r\nlines ", "The server has lines."),
        ("ferryd is not running", "ferryd is not running."),
        (
            "https://ana:harbour@example.com/a is of http://b:c@d, not of e@f",
            "https://...@example.com/a is of http://...@f."
        ),
    ]

    @Test(arguments: TransferError.Code.allCases)
    func `API-26: an error's description is its reason`(code: TransferError.Code) {
        for (reason, sentence) in Self.reasons {
            let error = URLError(TransferError(code: code, message: reason), url: nil)
            #expect(error.localizedDescription == (code == .cancelled ? "cancelled" : sentence))
            let kept = error.userInfo[NSLocalizedFailureReasonErrorKey] as? String
            #expect(kept?.contains("harbour") == false)
        }
        // Without a reason there are Apple's words.
        let error = URLError(TransferError(code: code, message: ""), url: nil)
        #expect(error.localizedDescription == error.code.appleDescription)
    }

    @Test(
        arguments: [
            (.create, ENOENT, "The file cannot be created"),
            (.open, ENOENT, "There is no such file"),
            (.read, ENOENT, "There is no such file"),
            (.read, EACCES, "The file may not be read"),
            (.read, EIO, "The request's body cannot be read"),
            (.write, EROFS, "The file cannot be written"),
            (.write, ENOSPC, "The file cannot be written"),
        ] as [(TransferError.FileOperation, Int32, String)]
    )
    func `API-26: a system call's error is told with what failed`(
        operation: TransferError.FileOperation,
        number: Int32,
        beginning: String
    ) {
        let cause = SystemCallError(call: "openat", errno: number, subject: "/home/ana/song")
        let error = URLError(TransferError(cause, during: operation), url: nil)
        #expect(
            error.localizedDescription
                == "\(beginning): openat /home/ana/song: \(cause.reason) (\(cause.symbol))."
        )
    }

    @Test func `API-26: a local file that is missing is named`() async throws {
        let url = URL(fileURLWithPath: "/nowhere/song")
        let error = await #expect(throws: URLError.self) {
            try await URLSession(configuration: .ephemeral).data(from: url)
        }
        let text = try #require(error?.localizedDescription)
        #expect(text.hasPrefix("There is no such file: "))
        #expect(text.contains("/nowhere/song"))
    }

    @Test(
        arguments: [
            ("myapp://a/b", "URLs of the scheme “myapp” cannot be loaded here."),
            ("http:///a", "The URL has no usable host."), ("//a/b", "The URL has no scheme."),
        ]
    )
    func `API-26: what cannot be requested is said`(address: String, text: String) async throws {
        let url = try #require(URL(string: address))
        let error = await #expect(throws: URLError.self) {
            try await URLSession(configuration: .ephemeral).data(from: url)
        }
        #expect(error?.localizedDescription == text)
    }

    @Test func `API-26: an error of the WebSocket protocol is the one of Apple's library`() {
        let error = WebSocketError(code: .protocolViolation, message: "It is broken")
        let appError = error.appError(url: nil)
        #expect((appError as? POSIXError)?.code == .EPROTO)
        #expect(appError.localizedDescription.contains("Protocol error"))
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
