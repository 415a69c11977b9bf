import FerrySystem
import FerryTestSupport
import Foundation

/// Keeps programs from starting another ferryd before the test has looked at what the last one left.
final class StartGate: Sendable {
    private let descriptor: Int32

    /// Puts the gate before every start of ferryd in a home.
    init(in home: TestHome, daemonArguments: [String]) throws {
        let path = home.path + "/gate"
        try systemCall("mkfifo", path) { mkfifo(path, 0o600) }
        descriptor = try systemCall("open", path) { Foundation.open(path, O_RDWR | O_CLOEXEC) }
        let words = ([TestHome.executable("ferryd")] + daemonArguments).map { "'\($0)'" }
        let script = """
            #!/bin/sh
            read line <'\(path)'
            exec \(words.joined(separator: " ")) "$@"

            """
        try Data(script.utf8).write(to: URL(filePath: home.path + "/ferryd"))
        chmod(home.path + "/ferryd", 0o700)
    }

    deinit { close(descriptor) }

    /// Lets all pass from now on.
    func open() {
        // Each start takes one line, and there are never as many as this.
        let lines = [UInt8](repeating: 10, count: 1000)
        _ = write(descriptor, lines, lines.count)
    }
}
