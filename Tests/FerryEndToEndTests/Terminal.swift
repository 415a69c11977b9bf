import FerrySystem
import FerryTestSupport
import Foundation
import Testing

/// A terminal, which is tmux's.
final class Terminal: Sendable {
    private let home: TestHome
    private let socket: String

    /// Starts a terminal with a command line for the shell, which then says with which status that has ended.
    init(in home: TestHome, columns: Int, rows: Int, _ line: String) async throws {
        self.home = home
        socket = home.path + "/tmux-\(UUID().uuidString.prefix(8))"
        let programs = URL(filePath: TestHome.executable("ferry")).deletingLastPathComponent().path
        let shell = "PATH='\(programs)':$PATH; \(line); echo ended $?; read line"
        try await tmux(
            ["-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", shell]
        )
    }

    deinit {
        let end = Process()
        end.executableURL = URL(filePath: "/usr/bin/tmux")
        end.arguments = ["-S", socket, "kill-server"]
        end.standardError = FileHandle.nullDevice
        try? end.run()
        end.waitUntilExit()
    }

    @discardableResult
    private func tmux(_ arguments: [String]) async throws -> String {
        var environment = home.environment
        environment["LC_ALL"] = "C.UTF-8"
        environment["TERM"] = "xterm-256color"
        let run = try await TestProcess.run(
            "/usr/bin/tmux",
            ["-u", "-S", socket] + arguments,
            environment: environment
        )
        try #require(run.exit == .exited(status: 0), "\(arguments): \(run.error)")
        return run.output
    }

    /// Presses keys, by tmux's names.
    func press(_ keys: String...) async throws { try await tmux(["send-keys"] + keys) }

    /// Gives the terminal another size.
    func resize(columns: Int, rows: Int) async throws {
        try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Returns what the terminal shows when that fulfills a condition.
    @discardableResult
    func show(_ condition: (String) -> Bool) async throws -> String {
        while true {
            let screen = try await tmux(["capture-pane", "-p"])
            if condition(screen) { return screen }
            // The test's time limit says what is missing.
            try Task.checkCancellation()
        }
    }
}
