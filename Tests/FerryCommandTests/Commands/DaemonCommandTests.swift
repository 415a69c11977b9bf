import Ferry
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import FerryCommand

/// What the commands about ferryd itself tell.
@Suite(.timeLimit(.minutes(1))) struct DaemonCommandTests {
    @Test func `daemon status tells how ferryd is doing`() async {
        let daemon = PlayedDaemon(status: .sample(log: .journal))
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

    @Test func `daemon status tells of the conditions that transfers avoid`() async {
        var status = TransferDaemon.Status.sample(log: .journal)
        status.avoidedConditions = [.expensiveNetwork, .battery]
        status.conditions = .expensiveNetwork
        status.services = [
            .init(name: "org.freedesktop.NetworkManager", state: .answers),
            .init(name: "org.freedesktop.UPower", state: .absent),
        ]
        let run = await CommandLineRun("daemon status", daemon: PlayedDaemon(status: status))
        #expect(
            run.output.hasPrefix(
                "conditions:  metered network (NetworkManager answers, UPower absent)\n"
            )
        )
        status.conditions = nil
        let early = await CommandLineRun("daemon status", daemon: PlayedDaemon(status: status))
        #expect(early.output.hasPrefix("conditions:  not known yet ("))
        status.conditions = []
        let json = await CommandLineRun(
            "daemon status --json",
            daemon: PlayedDaemon(status: status)
        )
        #expect(json.output.contains("\"conditions\":[]"))
        #expect(json.output.contains("\"org.freedesktop.UPower\":\"absent\""))
    }

    @Test func `daemon status --json has every figure`() async {
        let daemon = PlayedDaemon(status: .sample(log: .file(path: "/l")))
        let run = await CommandLineRun("daemon status --json", daemon: daemon)
        #expect(
            run.output == """
                {"connections":5,"inhibitors":[],"log":"/l","pid":4711,"running":1,"sessions":4,\
                "sockets":["/run/user/1000/ferry/io.ferry.Transfer",\
                "/home/a/.local/state/ferry/run/s"],"started":"2026-09-21T14:13:20Z",\
                "stateDirectory":"/home/a/.local/state/ferry","suspended":3,"version":"0.1.0",\
                "waiting":2}

                """
        )
    }

    @Test func `daemon status tells what is held against the machine's sleep`() async {
        var status = TransferDaemon.Status.sample(log: .journal)
        status.inhibitors = [
            TransferDaemon.Status.Inhibitor(mode: "delay", what: "shutdown:sleep", reason: "a"),
            TransferDaemon.Status.Inhibitor(mode: "block", what: "sleep", reason: "b"),
        ]
        let run = await CommandLineRun("daemon status", daemon: PlayedDaemon(status: status))
        #expect(
            run.output.hasSuffix(
                """

                inhibits:    shutdown and sleep delayed until all is stored
                inhibits:    no automatic sleep

                """
            )
        )
        let json = await CommandLineRun(
            "daemon status --json",
            daemon: PlayedDaemon(status: status)
        )
        #expect(
            json.output.contains(
                #""inhibitors":[{"mode":"delay","reason":"a","what":"shutdown:sleep"},"#
                    + #"{"mode":"block","reason":"b","what":"sleep"}]"#
            )
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
        let daemon = PlayedDaemon(status: .sample(log: .file(path: path)))
        #expect(
            await CommandLineRun("log -n 2", daemon: daemon).output
                == "t info task 7: b\nt info c\n"
        )
        #expect(await CommandLineRun("log 7", daemon: daemon).output == "t info task 7: b\n")
        let foreground = PlayedDaemon(status: .sample(log: .standardError))
        let run = await CommandLineRun("log", daemon: foreground)
        #expect(
            run.error
                == "ferry: ferryd runs in the foreground; its log goes to its standard error\n"
        )
        #expect(run.code == .failure)
    }

    @Test func `of a transfer that the log does not know it tells nothing, unless it is followed`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = try directory.write("t info task 7: b\n", to: "ferryd.log")
        let daemon = PlayedDaemon(status: .sample(log: .file(path: path)))
        let unknown = await CommandLineRun("log 8", daemon: daemon)
        #expect(unknown.error == "ferry: the log has nothing about transfer 8\n")
        #expect(unknown.code == .failure)
        let following = Task { await CommandLineRun("log -f 8", daemon: daemon) }
        following.cancel()
        let run = await following.value
        #expect(run.error == "")
        #expect(run.code == .success)
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

    @Test func `the version is told, and that of the interface to ferryd`() async {
        let run = await CommandLineRun("--version")
        #expect(run.output == "ferry \(FerryVersion.current) (io.ferry.Transfer \(Wire.version))\n")
        #expect(run.code == .success)
    }
}
