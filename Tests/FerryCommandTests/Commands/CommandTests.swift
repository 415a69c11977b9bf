import Ferry
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// What the commands say, to people and to programs, and what they tell the shell.
@Suite(.timeLimit(.minutes(1))) struct CommandTests {
    private typealias Transfer = TransferDaemon.Transfer

    private func daemon() throws -> PlayedDaemon {
        let retry = Transfer.Wait(reason: .hostLimit)
        return PlayedDaemon(
            transfers: [
                try .sample(1),
                try .sample(2, state: .waiting, received: 0, expected: nil, wait: retry),
                try .sample(3, state: .completed, status: 404),
                try .sample(4, application: "ferry", state: .suspended, expected: nil),
            ]
        )
    }

    // MARK: - list

    @Test func `list shows what is under way, page by page, in one table`() async throws {
        let run = await CommandLineRun("list", daemon: try daemon())
        #expect(
            run.output == """
                ID  STATE                          RECEIVED       APPLICATION      URL
                1   running                        45% of 1000 B  org.example.App  https://example.org/files/big.iso
                2   waiting: enough from its host  0 B            org.example.App  https://example.org/files/big.iso
                4   paused                         450 B          ferry            https://example.org/files/big.iso

                """
        )
        #expect(run.error == "")
        #expect(run.code == .success)
    }

    @Test func `list --all shows completed ones, too`() async throws {
        let run = await CommandLineRun("list --all", daemon: try daemon())
        #expect(run.output.contains("\n3   failed "))
    }

    @Test func `an upload shows how much of it was sent`() throws {
        var transfer = try Transfer.sample(state: .running)
        transfer.upload = Transfer.Upload(byteCount: 1000, sentByteCount: 450)
        #expect(transfer.progressText == "45% of 1000 B up")
        let report = try JSONLine.text(TransferReport(transfer))
        #expect(report.contains(#""sent":450"#) && report.contains(#""size":1000"#))
    }

    @Test func `a transfer that somebody has cancelled is told to be cancelled, not failed`() throws
    {
        let failure = Transfer.Failure(code: "cancelled", message: "it was cancelled")
        let transfer = try Transfer.sample(state: .completed, failure: failure)
        #expect(transfer.stateText == "cancelled")
        let outcome = Outcome.failed(Outcome.Reason(URLError(.cancelled)))
        #expect(TransferRow(transfer).text(of: outcome) == "cancelled")
    }

    @Test func `list --limit shows a page and how to get the next`() async throws {
        let run = await CommandLineRun("list --limit 1 --after 1", daemon: try daemon())
        #expect(run.output.split(separator: "\n").count == 2)
        #expect(run.output.contains("\n2   waiting"))
        #expect(run.error == "More: ferry list --limit 1 --after 2\n")
        let all = await CommandLineRun("list --all --limit 2", daemon: try daemon())
        #expect(all.error == "More: ferry list --all --limit 2 --after 2\n")
    }

    /// A daemon with as many transfers that wait.
    private func daemon(waiting count: Int) throws -> PlayedDaemon {
        var status = status(log: .standardError)
        status.runningCount = 1
        status.waitingCount = count - 3
        status.suspendedCount = 2
        return PlayedDaemon(
            transfers: try (1...count).map { try .sample($0, state: .waiting) },
            status: status
        )
    }

    @Test func `list shows on a terminal as much as suits it, and says how much more there is`()
        async throws
    {
        let size = TerminalSize(columns: 80, rows: 24)
        let daemon = try daemon(waiting: 250)
        let first = await CommandLineRun("list", daemon: daemon, outputSize: size)
        #expect(first.output.split(separator: "\n").count == 101)
        #expect(first.error == "150 are not shown. More: ferry list --after 100\n")
        let last = await CommandLineRun("list --after 200", daemon: daemon, outputSize: size)
        #expect(last.output.split(separator: "\n").count == 51)
        #expect(last.error == "")
        let wanted = await CommandLineRun("list --limit 240", daemon: daemon, outputSize: size)
        #expect(wanted.error == "10 are not shown. More: ferry list --limit 240 --after 240\n")
    }

    @Test(arguments: ["list", "list --json"])
    func `list tells a program of all`(_ line: String) async throws {
        let run = await CommandLineRun(line, daemon: try daemon(waiting: 250))
        #expect(run.output.split(separator: "\n").count >= 250)
        #expect(run.error == "")
    }

    @Test func `list --limit goes over as many pages as it takes`() async throws {
        let run = await CommandLineRun("list --limit 3", daemon: try daemon())
        #expect(run.output.split(separator: "\n").count == 4)
        #expect(run.error == "")
    }

    @Test func `list fits its table into the terminal`() async throws {
        let run = await CommandLineRun(
            "list",
            daemon: try daemon(),
            outputSize: TerminalSize(columns: 80, rows: 24)
        )
        #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(run.output.contains("https...g.iso\n"))
    }

    @Test func `list of nothing is empty`() async {
        let run = await CommandLineRun("list")
        #expect(run.output == "")
        #expect(run.code == .success)
    }

    @Test func `list --json writes an object a line`() async throws {
        let run = await CommandLineRun("list --json --limit 2", daemon: try daemon())
        #expect(
            run.output == """
                {"application":"org.example.App","attempts":0,"created":"2026-09-21T14:13:20Z",\
                "expected":1000,"id":1,"name":"big.iso","priority":0.5,"received":450,\
                "session":"main","state":"running","task":101,\
                "url":"https://example.org/files/big.iso"}
                {"application":"org.example.App","attempts":0,"created":"2026-09-21T14:13:20Z",\
                "id":2,"name":"big.iso","priority":0.5,"received":0,"session":"main",\
                "state":"waiting","task":102,"url":"https://example.org/files/big.iso",\
                "wait":{"reason":"hostLimit"}}

                """
        )
    }

    // MARK: - pause, resume, cancel, why

    @Test(arguments: ["pause", "resume", "cancel"])
    func `a command for several transfers goes on after one that is not there`(
        name: String
    ) async throws {
        let daemon = try daemon()
        let run = await CommandLineRun("\(name) 1 99 2", daemon: daemon)
        #expect(daemon.calls == ["\(name) 1", "\(name) 2"])
        #expect(run.error == "ferry: 99: There is no transfer 99.\n")
        #expect(run.code == .notFound)
    }

    @Test func `why explains`() async throws {
        let run = await CommandLineRun("why 2", daemon: try daemon())
        #expect(
            run.output == """
                2  https://example.org/files/big.iso
                It waits for its turn: as many transfers from example.org are running as are allowed.

                """
        )
        #expect(run.code == .success)
    }

    @Test func `why --json writes the same object as list`() async throws {
        let why = await CommandLineRun("why 1 --json", daemon: try daemon())
        let list = await CommandLineRun("list --json --limit 1", daemon: try daemon())
        #expect(why.output == list.output)
    }

    @Test func `a transfer that is not there is exit code 3`() async throws {
        for line in ["why 99", "watch 99"] {
            let run = await CommandLineRun(line, daemon: try daemon())
            #expect(run.error == "ferry: There is no transfer 99.\n")
            #expect(run.code == .notFound)
        }
    }

    // MARK: - watch

    @Test func `watch tells what happens until all is over, also over the death of ferryd`()
        async throws
    {
        let first = TransferDaemon.Changes(updated: [try .sample(1)], removed: [])
        let more = TransferDaemon.Changes(updated: [try .sample(1, received: 900)], removed: [])
        let done = try Transfer.sample(1, state: .completed, status: 200, received: 1000)
        let daemon = PlayedDaemon(
            transfers: [try .sample(1)],
            changes: [[first, more], [TransferDaemon.Changes(updated: [done], removed: [])]]
        )
        let run = await CommandLineRun("watch 1", daemon: daemon)
        #expect(
            run.error == """
                ferry: big.iso: 450 B of 1000 B, 45%
                ferry: big.iso: done, 1000 B

                """
        )
        #expect(run.output == "")
        #expect(run.code == .success)
    }

    @Test func `watch --json writes each change`() async throws {
        let waiting = try Transfer.sample(1, state: .suspended, wait: .init(reason: .paused))
        let failed = try Transfer.sample(
            1,
            state: .completed,
            failure: Transfer.Failure(code: "timedOut", message: "too slow")
        )
        let daemon = PlayedDaemon(
            transfers: [try .sample(1)],
            changes: [
                [[waiting], [waiting], [failed]].map {
                    TransferDaemon.Changes(updated: $0, removed: [])
                }
            ]
        )
        let run = await CommandLineRun("watch --json 1", daemon: daemon)
        #expect(
            run.output == """
                {"event":"waiting","expected":1000,"id":1,"received":450,\
                "url":"https://example.org/files/big.iso","wait":"paused"}
                {"code":"timedOut","event":"failed","expected":1000,"id":1,"message":"too slow",\
                "received":450,"url":"https://example.org/files/big.iso"}

                """
        )
        #expect(run.code == .failure)
    }

    @Test func `watch of nothing says so`() async {
        let daemon = PlayedDaemon(changes: [[TransferDaemon.Changes(updated: [], removed: [])]])
        let run = await CommandLineRun("watch", daemon: daemon)
        #expect(run.error == "ferry: nothing is under way\n")
        #expect(run.code == .success)
    }

    @Test func `watch goes on after a ferryd that dies before it answers`() async {
        let daemon = PlayedDaemon(changes: [[], [TransferDaemon.Changes(updated: [], removed: [])]])
        let run = await CommandLineRun("watch", daemon: daemon)
        #expect(run.error == "ferry: nothing is under way\n")
        #expect(run.code == .success)
    }

    @Test func `watch of a ferryd that never answers is exit code 4`() async throws {
        let run = await CommandLineRun("watch", daemon: PlayedDaemon())
        #expect(run.error == "ferry: ferryd is gone.\n")
        #expect(run.code == .unreachable)
    }

    @Test func `Ctrl-C ends the watching with 130`() async throws {
        let daemon = PlayedDaemon(
            transfers: [try .sample(1)],
            changes: [[TransferDaemon.Changes(updated: [try .sample(1)], removed: [])]],
            isSteady: true
        )
        let run = await CommandLineRun("watch 1", daemon: daemon, interrupts: 1)
        #expect(run.code == .interrupted)
    }

    // MARK: - hooks and quit

    private func hooked() -> PlayedDaemon {
        PlayedDaemon(
            hooks: [
                TransferDaemon.Hook(
                    application: "ferry",
                    launch: TransferDaemon.Launch(
                        executable: "/usr/bin/ferry",
                        arguments: ["background-events", "it's"],
                        workingDirectory: "/",
                        environment: ["HOME": "/home/a"]
                    ),
                    attempts: 2,
                    nextLaunch: Date(timeIntervalSince1970: 1_790_000_000),
                    pendingSessions: ["get-1"]
                ),
                TransferDaemon.Hook(application: "org.example.App", launch: nil, isQuit: true),
            ]
        )
    }

    @Test func `hooks shows what ferryd may start, and when`() async {
        let run = await CommandLineRun("hooks", daemon: hooked())
        let time = Date(timeIntervalSince1970: 1_790_000_000).timeOfDay
        #expect(
            run.output == """
                APPLICATION      NEXT START                 COMMAND
                ferry            \(time), after 2 in vain  /usr/bin/ferry background-events 'it'\\''s'
                org.example.App  quit by the user           removed

                """
        )
    }

    @Test func `hooks --json leaves the environment out`() async {
        let run = await CommandLineRun("hooks --json", daemon: hooked())
        #expect(!run.output.contains("/home/a"))
        #expect(
            run.output.hasPrefix(
                """
                {"application":"ferry","arguments":["background-events","it's"],"attempts":2,\
                "directory":"/","executable":"/usr/bin/ferry","isQuit":false,\
                "nextStart":"2026-09-21T14:13:20Z","sessions":["get-1"]}

                """
            )
        )
    }

    @Test func `hooks of nothing says so`() async {
        let run = await CommandLineRun("hooks")
        #expect(run.output == "")
        #expect(run.error == "ferryd may start no program.\n")
        #expect(run.code == .success)
    }

    @Test func `hooks remove and quit act on an application, which has to be there`() async {
        let daemon = hooked()
        let removal = await CommandLineRun("hooks remove ferry", daemon: daemon)
        #expect(removal.code == .success)
        let quit = await CommandLineRun("quit ferry", daemon: daemon)
        #expect(quit.error == "ferry: ferry: 3 transfers cancelled\n")
        #expect(daemon.calls == ["remove ferry", "quit ferry"])
        for line in ["hooks remove other", "quit other"] {
            let run = await CommandLineRun(line, daemon: daemon)
            #expect(run.error == "ferry: There is no application other.\n")
            #expect(run.code == .notFound)
        }
    }

    // MARK: - daemon and log

    private func status(log: TransferDaemon.Status.Log) -> TransferDaemon.Status {
        TransferDaemon.Status(
            version: "0.1.0",
            processIdentifier: 4711,
            started: Date(timeIntervalSince1970: 1_790_000_000),
            sockets: [
                "/run/user/1000/ferry/io.ferry.Transfer", "/home/a/.local/state/ferry/run/s",
            ],
            stateDirectory: "/home/a/.local/state/ferry",
            log: log,
            runningCount: 1,
            waitingCount: 2,
            suspendedCount: 3,
            sessionCount: 4,
            connectionCount: 5
        )
    }

    @Test func `daemon status tells how ferryd is doing`() async {
        let daemon = PlayedDaemon(status: status(log: .journal))
        let run = await CommandLineRun("daemon status", daemon: daemon)
        #expect(
            run.output == """
                ferryd:      0.1.0, process 4711, up for 1m 00s
                transfers:   1 running, 2 waiting, 3 paused
                programs:    4 sessions, 5 connections
                log:         journal
                state:       /home/a/.local/state/ferry
                sockets:     /run/user/1000/ferry/io.ferry.Transfer
                             /home/a/.local/state/ferry/run/s

                """
        )
        #expect(run.code == .success)
    }

    @Test func `daemon status --json has every figure`() async {
        let daemon = PlayedDaemon(status: status(log: .file(path: "/l")))
        let run = await CommandLineRun("daemon status --json", daemon: daemon)
        #expect(
            run.output == """
                {"connections":5,"log":"/l","pid":4711,"running":1,"sessions":4,\
                "sockets":["/run/user/1000/ferry/io.ferry.Transfer",\
                "/home/a/.local/state/ferry/run/s"],"started":"2026-09-21T14:13:20Z",\
                "stateDirectory":"/home/a/.local/state/ferry","suspended":3,"version":"0.1.0",\
                "waiting":2}

                """
        )
    }

    @Test func `daemon status of no daemon is exit code 4, and stopping it is none`() async {
        let status = await CommandLineRun("daemon status")
        #expect(status.error == "ferry: ferryd is not running; it starts when it is needed\n")
        #expect(status.code == .unreachable)
        let stop = await CommandLineRun("daemon stop")
        #expect(stop.error == "ferry: ferryd was not running\n")
        #expect(stop.code == .success)
    }

    @Test func `log shows the last lines of ferryd's file`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("t info a\nt info task 7: b\nt info c\n", to: "ferryd.log")
        let daemon = PlayedDaemon(status: status(log: .file(path: path)))
        #expect(
            await CommandLineRun("log -n 2", daemon: daemon).output
                == "t info task 7: b\nt info c\n"
        )
        #expect(await CommandLineRun("log 7", daemon: daemon).output == "t info task 7: b\n")
        let foreground = PlayedDaemon(status: status(log: .standardError))
        let run = await CommandLineRun("log", daemon: foreground)
        #expect(
            run.error
                == "ferry: ferryd runs in the foreground; its log goes to its standard error\n"
        )
        #expect(run.code == .failure)
    }

    @Test func `log --files needs no ferryd`() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: "\(directory.path)/ferry",
            withIntermediateDirectories: true
        )
        try directory.write("line\n", to: "ferry/files.log")
        let environment = ["XDG_STATE_HOME": directory.path]
        let run = await CommandLineRun("log --files", environment: environment)
        #expect(run.output == "line\n")
        #expect(run.code == .success)
    }

    @Test func `the version is told`() async {
        let run = await CommandLineRun("--version")
        #expect(run.output == "ferry \(Program.version)\n")
        #expect(run.code == .success)
    }
}
