import Ferry
import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryCommand

/// `ferry get`, with sessions and a ferryd that are played.
@Suite(.timeLimit(.minutes(1))) struct GetCommandTests {
    private static let a = "https://example.org/a.iso"
    private static let b = "https://example.org/b.iso"

    private let directory: TemporaryDirectory
    private let daemon = PlayedDaemon(isSteady: true)
    private let saved = Outcome.saved(path: "/tmp/a.iso", byteCount: 1000)
    private let failed = Outcome.failed(Outcome.Reason(code: "-1001", message: "timed out"))

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func get(
        _ line: String,
        _ sessions: PlayedSessions,
        outputSize: TerminalSize? = nil,
        interrupts: Int = 0
    ) async -> CommandLineRun {
        await CommandLineRun(
            "get -d \(directory.path)/out \(line)",
            daemon: daemon,
            sessions: sessions,
            outputSize: outputSize,
            interrupts: interrupts
        )
    }

    @Test func `a saved file is told to people, its path to programs`() async {
        let sessions = PlayedSessions([saved], in: daemon)
        let run = await get(Self.a, sessions)
        #expect(run.output == "/tmp/a.iso\n")
        #expect(run.error == "ferry: a.iso: saved, 1000 B\n")
        #expect(run.code == .success)
        #expect(sessions.events.filter { $0 != "settle" } == ["open get-", "finish"])
    }

    @Test func `who looks at the terminal has seen the path`() async {
        let sessions = PlayedSessions([saved], in: daemon)
        let run = await get(Self.a, sessions, outputSize: TerminalSize(columns: 80, rows: 24))
        #expect(run.output == "")
    }

    @Test func `one failure of several gives the exit code, and the others are saved`() async {
        let run = await get("\(Self.a) \(Self.b)", PlayedSessions([saved, failed], in: daemon))
        #expect(run.output == "/tmp/a.iso\n")
        #expect(run.error.contains("ferry: b.iso: failed: timed out\n"))
        #expect(run.code == .noConnection)
    }

    @Test func `--quiet tells only what goes wrong`() async {
        let run = await get(
            "--quiet \(Self.a) \(Self.b)",
            PlayedSessions([saved, failed], in: daemon)
        )
        #expect(run.output == "/tmp/a.iso\n")
        #expect(run.error == "ferry: https://example.org/b.iso: timed out\n")
    }

    @Test func `--json writes an object for each end`() async {
        let run = await get(
            "--json \(Self.a) \(Self.b)",
            PlayedSessions([saved, failed], in: daemon)
        )
        #expect(
            run.output == """
                {"event":"saved","expected":1000,"path":"/tmp/a.iso","received":1000,\
                "url":"https://example.org/a.iso"}
                {"code":"-1001","event":"failed","message":"timed out","received":0,\
                "url":"https://example.org/b.iso"}

                """
        )
        #expect(run.error == "")
        #expect(run.code == .noConnection)
    }

    @Test func `Ctrl-C leaves the transfers running and says how to come back`() async {
        let sessions = PlayedSessions([saved, nil, nil], in: daemon)
        let run = await get("\(Self.a) \(Self.a) \(Self.b)", sessions, interrupts: 1)
        #expect(
            run.error.hasSuffix(
                "\nThe transfers go on in the background; come back with: ferry watch @3\n"
            )
        )
        #expect(run.code == .interrupted)
        #expect(Set(sessions.events) == ["open get-", "settle"])
    }

    @Test func `--detach waits until ferryd has the transfers, and tells their numbers`() async {
        let sessions = PlayedSessions([nil, nil], in: daemon)
        let run = await get("--detach \(Self.a) \(Self.b)", sessions)
        #expect(run.output == "1  https://example.org/a.iso\n2  https://example.org/b.iso\n")
        #expect(run.code == .success)
        #expect(Set(sessions.events) == ["open get-", "settle"])
    }

    @Test func `--detach --json tells the numbers to programs`() async {
        let run = await get("--detach --json \(Self.a)", PlayedSessions([nil], in: daemon))
        #expect(run.output.hasSuffix("\n"))
        #expect(run.output.contains("{\"event\":\"detached\",\"expected\":1000,\"id\":1,"))
    }

    @Test func `--detach tells of transfers that failed at once`() async {
        let run = await get("--detach \(Self.a)", PlayedSessions([failed], in: daemon))
        #expect(run.error == "ferry: a.iso: failed: timed out\n")
        #expect(run.code == .noConnection)
    }

    @Test func `USE-3: while somebody waits, a server that never answered is asked five times`()
        async
    {
        let sessions = PlayedSessions([saved, nil, saved], in: daemon)
        _ = await get(Self.a, sessions)
        _ = await get("--detach \(Self.a)", sessions)
        _ = await get("--retries 9 \(Self.a)", sessions)
        #expect(sessions.options.map { $0.retry?.maximumUnansweredAttempts } == [5, nil, nil])
        #expect(sessions.options.map { $0.retry?.maximumAttempts } == [nil, nil, 9])
    }

    @Test func `USE-3: what servers answer while they are not available is tried again`() async {
        let sessions = PlayedSessions([saved], in: daemon)
        _ = await get(Self.a, sessions)
        let statuses = sessions.options.first?.retry?.statuses ?? []
        #expect(statuses.isSuperset(of: [408, 429, 500, 502, 503, 504, 511, 520, 527]))
        #expect(statuses.isDisjoint(with: [400, 401, 403, 404, 410, 416, 501, 505]))
    }

    @Test func `a name may have 255 bytes`() async {
        let sessions = PlayedSessions([saved], in: daemon)
        let name = String(repeating: "a", count: 255)
        _ = await CommandLineRun(
            "get -o \(directory.path)/\(name) \(Self.a)",
            daemon: daemon,
            sessions: sessions
        )
        #expect(sessions.destinations.map(\.name) == [name])
    }

    @Test func `PLACE-4: a name that the file system does not take is refused before a request`()
        async
    {
        let sessions = PlayedSessions([saved], in: daemon)
        let name = String(repeating: "ä", count: 128)
        let run = await CommandLineRun(
            "get -o \(directory.path)/\(name) \(Self.a)",
            daemon: daemon,
            sessions: sessions
        )
        #expect(run.code == .failure)
        #expect(
            run.error
                == "ferry: no file in '\(directory.path)' can be named '\(name)': it has 256 bytes, and at "
                + "most 255 are possible; choose another name with --output\n"
        )
        #expect(sessions.events == [])
    }

    @Test func `PLACE-1: the directory is remembered with its disk, and the group with the umask`()
        async throws
    {
        let sessions = PlayedSessions([saved], in: daemon)
        _ = await CommandLineRun(
            "get -d \(directory.path)/new \(Self.a)",
            daemon: daemon,
            sessions: sessions
        )
        let destination = try #require(sessions.destinations.first)
        let made = try Directory(opening: directory.path + "/new")
        #expect(destination.known == KnownDirectory(made))
        #expect(destination.known != nil)
        #expect(destination.group == getegid())
        #expect(destination.known?.isOnItsDisk(made) == true)
    }

    @Test func `USE-3: how long a file may take can be said`() async {
        let sessions = PlayedSessions([saved, saved], in: daemon)
        _ = await get(Self.a, sessions)
        _ = await get("--give-up-after 1.5h \(Self.a)", sessions)
        #expect(sessions.sessionOptions.map(\.timeLimit) == [nil, .seconds(5400)])
        let units = PlayedSessions([saved, saved, saved, saved], in: daemon)
        for time in ["90", "90s", "30m", "3d"] {
            _ = await get("--give-up-after \(time) \(Self.a)", units)
        }
        #expect(
            units.sessionOptions.map(\.timeLimit) == [
                .seconds(90), .seconds(90), .seconds(1800), .seconds(259_200),
            ]
        )
        let configuration = sessions.sessionOptions.last?.configuration(of: "get-1")
        #expect(configuration?.timeoutIntervalForResource == 5400)
        let wrong = await get("--give-up-after soon \(Self.a)", sessions)
        #expect(wrong.error.contains("--give-up-after needs a time such as 90s"))
        #expect(wrong.code == .usage)
    }

    @Test func `USE-2: the sessions of a get have each file delivered when it is complete`() {
        let configuration = SessionOptions().configuration(of: "get-1")
        #expect(configuration.sessionSendsLaunchEventsForEachTask)
        #expect(configuration.timeoutIntervalForResource == 604_800)
    }

    @Test func `header fields go with every request, twice the same name too`() async {
        let sessions = PlayedSessions([saved, saved], in: daemon)
        _ = await get("-H X-Key:1 --header=X-Key:2 \(Self.a) \(Self.b)", sessions)
        #expect(
            sessions.requests.map { $0.value(forHTTPHeaderField: "X-Key") } == ["1,2", "1,2"]
        )
    }

    @Test func `the destination is absolute and made, with the user's permissions`() async {
        let sessions = PlayedSessions([saved], in: daemon)
        _ = await get(Self.a, sessions)
        #expect(sessions.destinations.map(\.directory) == ["\(directory.path)/out"])
        #expect(sessions.destinations.map(\.name) == [nil])
        let mask = umask(0o022)
        umask(mask)
        #expect(sessions.destinations.map(\.permissions) == [0o666 & ~mask])
        #expect(FileManager.default.fileExists(atPath: "\(directory.path)/out"))
    }

    @Test func `a get waits for its own transfers, not for those of others`() async throws {
        daemon.add(try .sample(77, application: "ferry", session: "get-other"))
        daemon.add(try .sample(78))
        let run = await get(Self.a, PlayedSessions([saved], in: daemon))
        #expect(run.output == "/tmp/a.iso\n")
        #expect(run.code == .success)
    }

    @Test func `what is wanted of a transfer goes along with it`() async {
        let sessions = PlayedSessions([saved], in: daemon)
        let wanted = "--limit-rate 500k --connections 3 --retries 7 --mirror \(Self.b)"
        _ = await get("\(wanted) \(Self.a)", sessions)
        let options = sessions.options.first
        #expect(options?.maximumReceiveRate == 500_000)
        #expect(options?.maximumSendRate == nil)
        #expect(options?.maximumConnectionsPerDownload == 3)
        #expect(options?.retry?.maximumAttempts == 7)
        #expect(options?.mirrors.map(\.absoluteString) == [Self.b])
    }

    @Test func `time-outs, delays and statuses go along with a transfer`() async {
        let sessions = PlayedSessions([saved], in: daemon)
        let wanted =
            "--timeout 90s --connect-timeout 2m --retry-delay 10m --retry-on 404,423 --retry-on 410-412 -k"
        _ = await get("\(wanted) \(Self.a)", sessions)
        let options = sessions.options.first
        #expect(sessions.requests.first?.timeoutInterval == 90)
        #expect(options?.connectTimeout == .seconds(120))
        #expect(options?.retry?.firstDelay == .seconds(600))
        #expect(options?.retry?.maximumDelay == .seconds(600))
        #expect(
            options?.retry?.statuses?.isSuperset(of: [404, 410, 411, 412, 423, 429, 500]) == true
        )
        #expect(options?.retry?.statuses?.contains(403) == false)
        #expect(options?.acceptsInvalidCertificates == true)
    }

    @Test func `limits go along with a transfer, and with its session`() async {
        let sessions = PlayedSessions([saved], in: daemon)
        let wanted = "--max-redirs 0 --max-filesize 2MiB --min-speed 10k --limit-rate 1M -j 3"
        _ = await get("\(wanted) \(Self.a)", sessions)
        let options = sessions.options.first
        #expect(options?.maximumRedirects == 0)
        #expect(options?.maximumFileSize == 2 << 20)
        #expect(options?.minimumReceiveRate == 10_000)
        let configuration = sessions.sessionOptions.first?.configuration(of: "played")
        #expect(configuration?.maximumConcurrentTasks == 3)
    }

    @Test(
        arguments: [
            ("--max-redirs -1", "--max-redirs takes a number from 0 to 1000, not '-1'"),
            ("--max-filesize much", "--max-filesize needs a size such as"),
            ("--min-speed much", "'much' is no rate"),
            ("--min-speed 2M --limit-rate 1M", "--min-speed is below --limit-rate"),
            ("-j 0", "--parallel takes a number from 1 to 10000, not '0'"),
            ("-H @/absent/file", "--header '/absent/file' cannot be read: No such file"),
        ]
    )
    func `limits and files that cannot be are refused`(options: String, message: String) async {
        let run = await get("\(options) \(Self.a)", PlayedSessions([], in: daemon))
        #expect(run.code == .usage)
        #expect(run.error.contains(message), "\(run.error)")
    }

    @Test func `header fields come from a file, and are those of its lines`() async throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path + "/fields"
        try "X-One: 1\r\n\r\nX-Two: 2\n".write(toFile: path, atomically: true, encoding: .utf8)
        let sessions = PlayedSessions([saved], in: daemon)
        _ = await get("-H @\(path) -H X-Three:3 \(Self.a)", sessions)
        let fields = sessions.requests.first?.allHTTPHeaderFields
        #expect(fields?["X-One"] == "1")
        #expect(fields?["X-Two"] == "2")
        #expect(fields?["X-Three"] == "3")
    }

    @Test(arguments: ["header=@/etc/passwd", "user=jo"])
    func `a list has no file read and nobody asked`(line: String) async throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path + "/list"
        try "\(Self.a)\n \(line)\n".write(toFile: path, atomically: true, encoding: .utf8)
        let run = await get("-i \(path)", PlayedSessions([], in: daemon))
        #expect(run.code == .usage)
        #expect(run.error.contains("is whole in a list"), "\(run.error)")
    }

    @Test(arguments: ["399", "600", "404-", "412-410", "-404", "a", "400-999"])
    func `what is no status to try again after is refused`(status: String) async {
        let run = await get("--retry-on \(status) \(Self.a)", PlayedSessions([], in: daemon))
        #expect(run.code == .usage)
        #expect(run.error.contains("--retry-on takes statuses from 400 to 599"), "\(run.error)")
    }

    @Test(
        arguments: [
            ("--data-urlencode a=b_c&d -G", "https://example.org/a.iso?a=b_c%26d", nil),
            ("--data a=1 --data-urlencode x=%E4 -G", "https://example.org/a.iso?a=1&x=%25E4", nil),
            ("--url-query q=a/b", "https://example.org/a.iso?q=a%2Fb", nil),
            ("--url-query q=1 --data a=2", "https://example.org/a.iso?q=1", "a=2"),
            ("--data-urlencode =a=b", "https://example.org/a.iso", "a%3Db"),
            ("--data-urlencode ä", "https://example.org/a.iso", "%C3%A4"),
        ] as [(String, String, String?)]
    )
    func `data is encoded, and goes into the URL or the body`(
        options: String,
        url: String,
        body: String?
    ) async {
        let sessions = PlayedSessions([saved], in: daemon)
        let run = await get("\(options) https://example.org/a.iso", sessions)
        #expect(run.code == .success, "\(run.error)")
        let request = sessions.requests.first
        #expect(request?.url?.absoluteString == url)
        #expect(request?.httpBody.map { String(decoding: $0, as: UTF8.self) } == body)
        #expect(request?.httpMethod == (body == nil ? "GET" : "POST"))
    }

    @Test func `a form has several parts`() async throws {
        let file = "\(directory.path)/a \"b\".txt"
        try Data("content".utf8).write(to: URL(filePath: file))
        let sessions = PlayedSessions([saved], in: daemon)
        let run = await CommandLineRun(
            "get -d \(directory.path) \(Self.a) -F",
            words: ["name=Ana", "-F", "file=@\(file);type=text/plain"].map { Array($0.utf8) },
            daemon: daemon,
            sessions: sessions
        )
        #expect(run.code == .success, "\(run.error)")
        let request = try #require(sessions.requests.first)
        let type = try #require(request.value(forHTTPHeaderField: "Content-Type"))
        let boundary = try #require(type.split(separator: "boundary=").last)
        #expect(
            String(decoding: request.httpBody ?? Data(), as: UTF8.self)
                == [
                    "--\(boundary)", "Content-Disposition: form-data; name=\"name\"", "", "Ana",
                    "--\(boundary)",
                    "Content-Disposition: form-data; name=\"file\"; filename=\"a %22b%22.txt\"",
                    "Content-Type: text/plain", "", "content", "--\(boundary)--", "",
                ].joined(separator: "\r\n")
        )
        for wrong in ["-F a", "-F a=1 --data b", "-F a=1 -G", "-F a=@/absent"] {
            let refused = await get("\(wrong) \(Self.a)", PlayedSessions([], in: daemon))
            #expect(refused.code == .usage, "\(wrong)")
        }
    }

    @Test func `a person is told of a file that was downloaded before, and is still there`()
        async throws
    {
        let path = "\(directory.path)/before.iso"
        try Data().write(to: URL(filePath: path))
        let daemon = PlayedDaemon(ended: [
            .sample(3, url: Self.a, path: path), .sample(2, url: Self.a, path: path),
            .sample(1, url: Self.b, path: "\(directory.path)/gone.iso"),
        ])
        for size in [TerminalSize(columns: 80, rows: 24), nil] {
            let sessions = PlayedSessions([saved, saved], in: daemon)
            let run = await CommandLineRun(
                "get -d \(directory.path) \(Self.a) \(Self.b)",
                daemon: daemon,
                sessions: sessions,
                errorSize: size
            )
            #expect(run.code == .success)
            let told = run.error.matches(of: /downloaded before, at [0-9:]+: (.*)/).map(\.1)
            #expect(told == (size == nil ? [] : [path[...]]), "\(run.error)")
        }
    }

    @Test func `a command that runs afterwards goes along, by option or by ferry.conf`() async {
        let setting = TransferDaemon.Settings.Setting(
            name: "exec-after",
            value: "notify",
            origin: .standard
        )
        let daemon = PlayedDaemon(settings: .init(all: [setting]))
        for (option, expected) in [("", "notify"), ("--exec mine ", "mine")] {
            let sessions = PlayedSessions([saved], in: daemon)
            _ = await CommandLineRun(
                "get -d \(directory.path) \(option)\(Self.a)",
                daemon: daemon,
                sessions: sessions
            )
            #expect(sessions.destinations.map(\.exec) == [expected])
        }
    }

    @Test(
        arguments: [
            ("--unmetered-only", [.expensiveNetwork, .cellularNetwork]),
            ("--when-idle", .discretionary), ("", []),
        ] as [(String, TransferOptions.Conditions)]
    )
    func `what a transfer waits for goes along with it`(
        option: String,
        avoided: TransferOptions.Conditions
    ) async {
        let sessions = PlayedSessions([saved], in: daemon)
        _ = await get("\(option) \(Self.a)", sessions)
        #expect(sessions.options.first?.avoidedConditions == avoided)
    }

    @Test func `--output parts into directory and name`() async {
        let sessions = PlayedSessions([saved], in: daemon)
        _ = await CommandLineRun(
            "get -o \(directory.path)/new/.hidden \(Self.a)",
            daemon: daemon,
            sessions: sessions
        )
        #expect(sessions.destinations.map(\.directory) == ["\(directory.path)/new"])
        #expect(sessions.destinations.map(\.name) == [".hidden"])
    }

    @Test func `a directory that cannot be made is an error before anything starts`() async throws {
        let obstacle = try directory.write("", to: "file")
        #expect(chmod(obstacle, 0o777) == 0)
        for path in ["\(obstacle)/out", obstacle] {
            let sessions = PlayedSessions([saved], in: daemon)
            let run = await CommandLineRun(
                "get -d \(path) \(Self.a)",
                daemon: daemon,
                sessions: sessions
            )
            let expected =
                "ferry: nothing can be saved in '\(path)': Not a directory; "
                + "choose another with --directory\n"
            #expect(run.error == expected)
            #expect(run.code == .failure)
            #expect(sessions.events == [])
        }
    }

    @Test func `--skip-existing leaves out what is there, and says so`() async throws {
        try directory.write("here", to: "a.iso")
        let sessions = PlayedSessions([saved], in: daemon)
        let one = await get("-d \(directory.path) --skip-existing \(Self.a)", sessions)
        #expect(one.error == "ferry: a.iso is there already\n")
        #expect(one.code == .success)
        #expect(sessions.events == [])
        let two = await get("-d \(directory.path) --skip-existing \(Self.a) \(Self.b)", sessions)
        #expect(two.error.hasPrefix("ferry: 1 of 2 files are there already\n"))
        #expect(sessions.requests.map(\.url?.absoluteString) == [Self.b])
        let quiet = await get("-q -d \(directory.path) --skip-existing \(Self.a)", sessions)
        #expect(quiet.error == "")
    }

    @Test func `--newer asks for a file that has changed since the one that is there`() async throws
    {
        let path = try directory.write("here", to: "a.iso")
        let time = Date(timeIntervalSince1970: 784_111_777)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        let sessions = PlayedSessions([.unchanged(path: path), saved, saved], in: daemon)
        let run = await get("-d \(directory.path) -N \(Self.a) \(Self.b)", sessions)
        #expect(run.error.hasPrefix("ferry: a.iso: unchanged: the file that is here stays\n"))
        #expect(run.output == "\(path)\n/tmp/a.iso\n")
        #expect(run.code == .success)
        _ = await get("-d \(directory.path) --overwrite \(Self.a)", sessions)
        #expect(
            sessions.requests.map { $0.value(forHTTPHeaderField: "If-Modified-Since") }
                == ["Sun, 06 Nov 1994 08:49:37 GMT", nil, nil]
        )
        #expect(sessions.destinations.map(\.newerThan) == [path, nil, nil])
        #expect(sessions.destinations.map(\.precedence) == [.newer, .newer, .new])
        #expect(sessions.destinations.map(\.keepsTime) == [true, true, nil])
    }

    @Test func `watch comes back to a get whose process is gone, and takes its file`() async throws
    {
        let origin = PlayedSessions([nil], in: daemon)
        _ = await get("--detach \(Self.a)", origin)
        #expect(try await daemon.daemon.transfer(1).session.hasPrefix("get-"))
        let sessions = PlayedSessions([], in: daemon)
        let run = await CommandLineRun("watch 1", daemon: daemon, sessions: sessions, interrupts: 1)
        #expect(sessions.events == ["open get-"])
        #expect(run.code == .interrupted)
    }
}
