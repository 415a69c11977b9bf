import Ferry
import FerryTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryCommand

/// `ferry put`, with sessions and a ferryd that are played.
@Suite(.timeLimit(.minutes(1))) struct PutCommandTests {
    private static let base = "https://example.org/files/"

    private let directory: TemporaryDirectory
    private let daemon = PlayedDaemon(isSteady: true)
    private let file: String
    private let other: String

    init() throws {
        directory = try TemporaryDirectory()
        file = try directory.write("some bytes", to: "a.txt")
        other = try directory.write("others", to: "ü #2?.txt")
    }

    private func put(
        _ line: String,
        words: [String] = [],
        _ sessions: PlayedSessions,
        outputSize: TerminalSize? = nil,
        interrupts: Int = 0
    ) async -> CommandLineRun {
        await CommandLineRun(
            "put \(line)",
            words: words.map { Array($0.utf8) },
            daemon: daemon,
            sessions: sessions,
            outputSize: outputSize,
            interrupts: interrupts
        )
    }

    private func sessions(_ outcomes: Outcome?...) -> PlayedSessions {
        PlayedSessions(outcomes, in: daemon)
    }

    @Test func `a file is sent by PUT to its own name in a directory`() async throws {
        let sessions = sessions(.sent(answer: ""))
        let run = await put("\(file) \(Self.base)", sessions)
        #expect(run.error == "ferry: a.txt: sent, 10 B\n")
        #expect(run.output == "")
        #expect(run.code == .success)
        #expect(sessions.files == [file])
        #expect(sessions.requests.map { $0.url?.absoluteString } == ["\(Self.base)a.txt"])
        #expect(sessions.requests.map(\.httpMethod) == ["PUT"])
        #expect(
            sessions.requests.map { $0.value(forHTTPHeaderField: "Content-Type") }
                == ["application/octet-stream"]
        )
        #expect(sessions.options.map(\.uploadProtocol) == [.automatic])
        #expect(sessions.events.filter { $0 != "settle" } == ["open put-", "finish"])
    }

    @Test(
        arguments: [
            ("https://example.org", "https://example.org/a.txt"),
            ("https://example.org/", "https://example.org/a.txt"),
            ("https://example.org/other", "https://example.org/other"),
            ("https://example.org/x/?key=1", "https://example.org/x/a.txt?key=1"),
            ("https://example.org/x?dir=/", "https://example.org/x?dir=/"),
            ("--resumable tus https://example.org/files/", "https://example.org/files/"),
        ]
    )
    func `the URL names the file, unless it ends with a slash`(
        line: String,
        url: String
    ) async throws {
        let sessions = sessions(.sent(answer: ""))
        _ = await put("\(file) \(line)", sessions)
        #expect(sessions.requests.map { $0.url?.absoluteString } == [url])
    }

    @Test func `a name with characters that a URL cannot have is encoded`() async throws {
        let sessions = sessions(.sent(answer: ""))
        let run = await put("--", words: [other, Self.base], sessions)
        #expect(run.code == .success, "\(run.error)")
        #expect(
            sessions.requests.map { $0.url?.absoluteString }
                == ["\(Self.base)%C3%BC%20%232%3F.txt"]
        )
    }

    @Test func `what is wanted of an upload goes along with it`() async throws {
        let sessions = sessions(.sent(answer: ""))
        let options =
            "-X POST --content-type text/csv -H X-Key:1 -u me:secret --limit-rate 500k --resumable draft "
            + "--retries 3 --when-idle --per-host 2 --give-up-after 90s"
        _ = await put("\(options) \(file) \(Self.base)", sessions)
        let request = try #require(sessions.requests.first)
        #expect(request.httpMethod == "POST")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/csv")
        #expect(request.value(forHTTPHeaderField: "X-Key") == "1")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Basic bWU6c2VjcmV0")
        let wanted = try #require(sessions.options.first)
        #expect(wanted.maximumSendRate == 500_000)
        #expect(wanted.maximumReceiveRate == nil)
        #expect(wanted.uploadProtocol == .draft)
        #expect(wanted.retry?.maximumAttempts == 3)
        #expect(wanted.avoidedConditions == .discretionary)
        #expect(sessions.sessionOptions.map(\.timeLimit) == [.seconds(90)])
        #expect(sessions.sessionOptions.map(\.maximumConnectionsPerHost) == [2])
    }

    @Test func `what the server answers goes to standard output`() async throws {
        let run = await put(
            "\(file) \(Self.base)",
            sessions(.sent(answer: "https://example.org/download/1\n"))
        )
        #expect(run.output == "https://example.org/download/1\n")
        let quiet = await put(
            "--quiet \(file) \(Self.base)",
            sessions(.sent(answer: "https://example.org/download/1\n"))
        )
        #expect(quiet.output == "")
        #expect(quiet.error == "")
        let json = await put("--json \(file) \(Self.base)", sessions(.sent(answer: "x")))
        #expect(
            json.output == """
                {"answer":"x","event":"sent","expected":10,"received":10,"url":"https://example.org/files/a.txt"}

                """
        )
    }

    @Test func `Ctrl-C and --detach leave the uploads running`() async throws {
        let run = await put("\(file) \(Self.base)", sessions(nil), interrupts: 1)
        #expect(run.error.hasSuffix("come back with: ferry watch 1\n"))
        #expect(run.code == .interrupted)
        let detached = await put("--detach \(file) \(Self.base)", sessions(nil))
        #expect(detached.output.hasSuffix("  https://example.org/files/a.txt\n"))
    }

    @Test func `a file that cannot be read is told before anything is sent`() async throws {
        let fifo = directory.path + "/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        for (path, reason) in [
            ("\(directory.path)/none", "No such file or directory"),
            (directory.path, "it is not a regular file"), (fifo, "it is not a regular file"),
            ("/dev/null", "it is not a regular file"),
        ] {
            let sessions = sessions()
            let run = await put("\(file) \(path) \(Self.base)", sessions)
            #expect(run.error == "ferry: '\(path)' cannot be uploaded: \(reason)\n")
            #expect(run.code == .failure)
            #expect(sessions.events == [])
        }
    }

    @Test(
        arguments: [
            ("put", "FILE... URL is missing."),
            ("put a", "FILE... URL is missing."),
            ("put a b https://example.org/x", "several files need a URL that ends with '/'."),
            ("put a ftp://example.org/", "'ftp://example.org/' is no http or https URL."),
            (
                "put - https://example.org/x",
                "a file is needed, which is still there after a reboot; standard input is not."
            ),
            ("put -X P/T a https://example.org/", "'P/T' is no method of HTTP."),
            (
                "put --resumable yes a https://example.org/",
                "--resumable is auto, draft, tus or off, not 'yes'."
            ),
        ]
    )
    func `arguments that make no sense are told`(line: String, message: String) async {
        let run = await CommandLineRun(line, daemon: daemon)
        #expect(run.error == "ferry: \(message)\nSee 'ferry put --help'.\n")
        #expect(run.code == .usage)
    }

    @Test func `an answer is kept up to a limit, which is told`() {
        var answer = Answer()
        #expect(answer.text == "")
        for _ in 0..<3 { answer.append(Data(repeating: 0x61, count: 30 << 10)) }
        #expect(answer.text == String(repeating: "a", count: 64 << 10) + "\n[26624 more bytes]")
    }

    @Test func `watch tells of an upload that has ended`() async throws {
        let ended = TransferDaemon.EndedTransfer.sample(
            upload: .init(byteCount: 10, sentByteCount: 10)
        )
        let run = await CommandLineRun("watch 12", daemon: PlayedDaemon(ended: [ended]))
        #expect(run.error.contains("big.iso was sent to https://example.org/files/big.iso at "))
        #expect(run.code == .success)
    }
}
