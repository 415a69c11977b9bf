import Ferry
import Foundation
import Testing

@testable import FerryCommand

/// The settings of ferryd, as people see them.
@Suite(.timeLimit(.minutes(1))) struct ConfigCommandTests {
    private let settings = TransferDaemon.Settings(
        all: [
            .init(name: "connections", value: "4", origin: .standard),
            .init(name: "idle-time", value: "60", origin: .file(path: "/etc/f", line: 7)),
            .init(name: "receive-rate", value: "2M", origin: .limit),
            .init(name: "log-level", value: "debug", origin: .arguments),
            .init(name: "ca-file", value: nil, origin: .standard),
        ],
        faults: [
            .init(file: "/etc/f", line: 9, text: "col\u{1b}our", reason: "there is none"),
            .init(file: "/home/f", line: nil, text: nil, reason: "it is not a regular file"),
        ],
        files: [.init(path: "/home/f", exists: false), .init(path: "/etc/f", exists: true)]
    )

    @Test func `config shows each setting with its value and its origin, and what is wrong`() async
    {
        let run = await CommandLineRun("config", daemon: PlayedDaemon(settings: settings))
        #expect(
            run.output.replacing("\u{FFFD}", with: "?") == """
                SETTING       VALUE  FROM
                connections   4      default
                idle-time     60     /etc/f:7
                receive-rate  2M     ferry limit
                log-level     debug  ferryd's command line
                ca-file       -      default

                files:  /etc/f
                        /home/f (missing)
                wrong:  /etc/f:9: 'col?our': there is none
                        /home/f: it is not a regular file

                """
        )
        #expect(run.code == .success)
    }

    @Test func `config --json has everything`() async {
        let run = await CommandLineRun("config --json", daemon: PlayedDaemon(settings: settings))
        let setting =
            #"{"file":"/etc/f","line":7,"name":"idle-time","origin":"file","value":"60"}"#
        #expect(run.output.contains(setting))
        #expect(run.output.contains(#"{"exists":false,"path":"/home/f"}"#))
        #expect(run.output.contains(#"{"file":"/home/f","reason":"it is not a regular file"}"#))
    }

    @Test func `daemon reload tells what is wrong, and fails then`() async {
        let status = TransferDaemon.Status.sample(log: .journal)
        let bad = PlayedDaemon(status: status, settings: settings)
        let run = await CommandLineRun("daemon reload", daemon: bad)
        #expect(run.code == .failure)
        #expect(run.error.hasSuffix("\nferry: /home/f: it is not a regular file\n"))
        #expect(bad.calls == ["reload"])
        let good = await CommandLineRun("daemon reload", daemon: PlayedDaemon(status: status))
        #expect(good.code == .success)
        #expect(good.output + good.error == "")
    }

    @Test func `daemon reload does not start ferryd`() async {
        let run = await CommandLineRun("daemon reload", daemon: PlayedDaemon())
        #expect(run.code == .unreachable)
        #expect(
            run.error == "ferry: ferryd is not running; it reads its settings when it starts\n"
        )
    }

    @Test func `daemon status tells what is wrong with the settings`() async {
        var status = TransferDaemon.Status.sample(log: .journal)
        status.settingFaults = settings.faults
        let run = await CommandLineRun("daemon status", daemon: PlayedDaemon(status: status))
        #expect(run.output.contains("settings:    /home/f: it is not a regular file\n"))
    }
}
