import Ferry
import FerrySystem
import Foundation
@preconcurrency import Glibc
import Synchronization

/// A command of the user that the shell runs after a transfer has ended.
///
/// It runs at least once: again if this process is killed before ferryd has recorded that the transfer is over. It is not
/// waited for.
struct EndCommand: Hashable, Codable, Sendable {
    /// The maximum size of the command in bytes: ferryd remembers it with the transfer.
    static let greatestByteCount = 1024

    /// The variables that the command has besides those of the user, for the manual.
    static let variables: [(name: String, meaning: String)] = [
        ("FERRY_STATE", "saved, unchanged, sent, cancelled or failed"),
        ("FERRY_FILE", "the path of the file; empty if there is none"),
        ("FERRY_URL", "the URL, without a password"),
        ("FERRY_REASON", "why it failed; empty if it did not"),
    ]

    private static let started = Mutex<[pid_t]>([])

    private let exec: String

    /// A command for the shell.
    init(_ text: String) { exec = text }

    /// The command that a transfer's description has; nil if it has none.
    init?(taskDescription: String?) {
        guard let taskDescription, taskDescription.contains("\"exec\""),
            let command = try? JSONDecoder()
                .decode(EndCommand.self, from: Data(taskDescription.utf8))
        else { return nil }
        self = command
    }

    /// The command as the description of a transfer that has no other.
    var taskDescription: String? {
        (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The command line.
    var text: String { exec }

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - outcome: How the transfer has ended.
    ///   - url: Its URL.
    ///   - directory: The directory to start in; nil for the home directory.
    /// - Throws: The call that failed.
    func start(after outcome: Outcome, of url: URL?, in directory: String?) throws(SystemCallError)
    {
        var environment = ProcessEnvironment.current
        environment["FERRY_STATE"] = outcome.word
        environment["FERRY_FILE"] = outcome.path ?? ""
        environment["FERRY_URL"] = url?.shown ?? ""
        environment["FERRY_REASON"] = outcome.reason?.message ?? ""
        let launch = ProcessLaunch(
            executable: "/bin/sh",
            arguments: ["-c", exec],
            environment: environment,
            directory: directory ?? environment["HOME"] ?? "/",
            descriptors: [STDOUT_FILENO: STDOUT_FILENO, STDERR_FILENO: STDERR_FILENO]
        )
        let process = try launch.start()
        Self.started.withLock { started in
            started.removeAll { waitpid($0, nil, WNOHANG) != 0 }
            started.append(process)
        }
    }
}

extension Outcome {
    /// The state in a word.
    fileprivate var word: String {
        switch self {
        case .saved: "saved"
        case .unchanged: "unchanged"
        case .sent: "sent"
        case .completed, .gone: "done"
        case .failed(let reason): reason.isCancellation ? "cancelled" : "failed"
        }
    }

    /// The reason why it failed; nil if it did not.
    fileprivate var reason: Reason? {
        if case .failed(let reason) = self { reason } else { nil }
    }
}
