import Foundation
import Glibc

/// What has happened, for whoever looks into it later: nobody sees an app that ferryd has started.
struct TransferLog: Sendable {
    let file: URL

    /// Adds a line, with the time.
    func record(_ text: String) {
        let line = "\(Date().formatted(.iso8601)) \(text)\n"
        append(line, to: STDERR_FILENO)
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        let descriptor = open(file.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        append(line, to: descriptor)
        close(descriptor)
    }

    /// What is appended by one write(2) stays in one piece, whoever else writes.
    private func append(_ line: String, to descriptor: Int32) {
        _ = line.withCString { write(descriptor, $0, strlen($0)) }
    }
}
