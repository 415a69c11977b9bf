import Foundation
@preconcurrency import Glibc

/// The log of the files that were taken while no command followed them.
struct FileLog: Sendable {
    private static let maximumByteCount: off_t = 1 << 20

    /// The path of the log; one older part is beside it, with `.1` at its end.
    let path: String
    private let now: @Sendable () -> Date

    /// The log of the current user.
    ///
    /// - Parameters:
    ///   - environment: The process's environment.
    ///   - now: The time.
    init(environment: [String: String], now: @escaping @Sendable () -> Date) {
        let home = environment["HOME"] ?? "/"
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        path = "\(state ?? "\(home)/.local/state")/ferry/files.log"
        self.now = now
    }

    /// Writes a line.
    ///
    /// Errors are ignored: they must not keep a file from its destination.
    ///
    /// - Parameters:
    ///   - url: The requested URL.
    ///   - outcome: The outcome for its file.
    func write(url: URL?, _ outcome: Outcome) {
        let result =
            switch outcome {
            case .saved(let path, _): "saved as \(path)"
            case .failed(let reason): "failed: \(reason.message)"
            case .completed, .gone: "over"
            }
        let time = now().formatted(.iso8601)
        let line = "\(time) \(url?.shown ?? "-") \(result)".printable + "\n"
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let bytes = Array(line.utf8)
        // One append, so that the lines of two processes do not mix.
        _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        var status = stat()
        if fstat(file, &status) == 0, status.st_size > Self.maximumByteCount {
            rename(path, "\(path).1")
        }
    }
}
