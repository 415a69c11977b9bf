/// How a transfer ended, as far as `ferry` can tell.
enum Outcome: Hashable, Sendable {
    /// Its file is at a path, with a size in bytes.
    case saved(path: String, byteCount: Int64)
    /// It is complete; another application takes its file.
    case completed
    /// It is gone from ferryd: its application has acknowledged its end.
    case gone
    /// There is no file, for a reason.
    case failed(Reason)

    /// The reason why there is no file.
    struct Reason: Hashable, Sendable {
        /// The failure's name, for programs.
        var code: String
        /// A description for people.
        var message: String

        /// Whether the reason is a cancellation, by ferryd's name or the session's code for it.
        var isCancellation: Bool { ["cancelled", "-999"].contains(code) }
    }

    /// Whether the transfer succeeded, or may have succeeded.
    var isSuccess: Bool {
        switch self {
        case .saved, .completed, .gone: true
        case .failed: false
        }
    }
}
