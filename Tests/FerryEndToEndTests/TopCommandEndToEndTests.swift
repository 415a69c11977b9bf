import FerrySystem
import FerryTestSupport
import Foundation
import Testing

/// `ferry top` in a terminal, which is tmux's.
@Suite(.serialized, .timeLimit(.minutes(1))) struct TopCommandEndToEndTests {
    private let home: TestHome
    private let server: FixtureServer
    private let gate = FixtureGate()

    init() throws {
        home = try TestHome()
        server = try FixtureServer()
        for name in ["one.iso", "two.iso"] {
            server.on(
                "/\(name)",
                .content(.seeded(1, byteCount: 1 << 20)).stalling(after: 1 << 19, at: gate)
            )
        }
    }

    @Test func `a person pauses, explains and cancels transfers, at any size`() async throws {
        _ = try await startDownloads()
        let terminal = try await Terminal(in: home, columns: 80, rows: 14, "ferry top")
        try await terminal.show { $0.contains("one.iso") && $0.contains("2 running") }
        try await terminal.press("p")
        try await terminal.show { $0.contains("1 paused") }
        try await terminal.press("w")
        try await terminal.show { $0.contains("It is paused") }
        try await terminal.resize(columns: 60, rows: 10)
        try await terminal.show { $0.hasPrefix("1 running") && $0.contains("1 paused") }
        try await terminal.resize(columns: 120, rows: 30)
        try await terminal.press("Escape")
        try await terminal.press("Home", "x", "y")
        try await terminal.show { $0.contains("was cancelled.") || !$0.contains("one.iso") }
        try await terminal.press("q")
        // The shell's line shows that the terminal echoes again, on the screen of before.
        try await terminal.show { $0.contains("ended 0") && !$0.contains("running") }
        gate.open()
    }

    @Test(arguments: ["TERM", "INT", "HUP"])
    func `a signal ends it, and restores the terminal`(signal: String) async throws {
        _ = try await startDownloads()
        let terminal = try await Terminal(in: home, columns: 80, rows: 24, "ferry top")
        try await terminal.show { $0.contains("2 running") }
        let processes = home.processes(of: "ferry").filter { process in
            let line = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
            return line?.contains("\0top") == true
        }
        try #require(processes.count == 1)
        _ = try await TestProcess.run(
            "/bin/kill",
            ["-\(signal)", "\(processes[0])"],
            environment: home.environment
        )
        try await terminal.show { $0.contains("ended 0") && !$0.contains("running") }
        gate.open()
    }

    @Test func `an unknown terminal is told, and nothing else happens`() async throws {
        let terminal = try await Terminal(
            in: home,
            columns: 80,
            rows: 24,
            "TERM=no-such-terminal ferry top"
        )
        try await terminal.show {
            $0.contains("nothing is known of the terminal") && $0.contains("ended 2")
        }
    }

    private func startDownloads() async throws -> [TestProcess] {
        var processes: [TestProcess] = []
        for name in ["one.iso", "two.iso"] {
            processes.append(
                try await TestProcess(
                    TestHome.executable("ferry"),
                    ["get", "-q", "-d", home.files, server.url("/\(name)")],
                    environment: home.environment
                )
            )
        }
        try await server.waitUntil { $0.requests.count >= 2 }
        return processes
    }
}
