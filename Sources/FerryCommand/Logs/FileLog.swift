import Foundation
@preconcurrency import Glibc

/// What became of the files that were taken while no command looked on.
struct FileLog: Sendable {
    private static let maximumByteCount: off_t = 1 << 20

    /// The path of the log; one older part lies beside it, with `.1` at its end.
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
    /// A log that cannot be written must not keep a file from its place.
    ///
    /// - Parameters:
    ///   - url: The URL that was asked for.
    ///   - outcome: What became of its file.
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
        // One write at the end, so that lines of two processes do not mix.
        _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        var status = stat()
        if fstat(file, &status) == 0, status.st_size > Self.maximumByteCount {
            rename(path, "\(path).1")
        }
    }
}
