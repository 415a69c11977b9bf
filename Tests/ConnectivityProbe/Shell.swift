import FerrySystem

/// Commands of the shell.
enum Shell {
    /// Runs a command to its end, and returns whether that was a good one.
    static func run(_ command: String) -> Bool {
        let launch = ProcessLaunch(
            executable: "/bin/sh",
            arguments: ["-c", command],
            descriptors: [2: 2]
        )
        guard let process = try? launch.start() else { return false }
        return (try? ProcessExit.wait(for: process)) == .exited(status: 0)
    }
}
