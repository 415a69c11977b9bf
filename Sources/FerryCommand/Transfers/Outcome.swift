/// How a transfer ended, as far as `ferry` can tell.
enum Outcome: Hashable, Sendable {
    /// Its file lies at a path, and has so many bytes.
    case saved(path: String, byteCount: Int64)
    /// It is complete; another application takes its file.
    case completed
    /// It is gone from ferryd: its application has taken note of its end.
    case gone
    /// There is no file, for a reason.
    case failed(Reason)

    /// Why there is no file.
    struct Reason: Hashable, Sendable {
        /// The failure's name, for programs.
        var code: String
        /// What happened, for a person.
        var message: String

        /// Whether somebody has asked for it: ferryd's name for that, and the session's.
        var isCancellation: Bool { ["cancelled", "-999"].contains(code) }
    }

    /// Whether the transfer did what was asked for, or may have.
    var isSuccess: Bool {
        switch self {
        case .saved, .completed, .gone: true
        case .failed: false
        }
    }
}
