import FerrySystem

/// Room on the disk that is kept back, so that a full disk lets tasks end: what fills it may be theirs.
struct Reserve {
    private static let name = "reserve"
    /// Enough for the ends of some hundred tasks.
    private static let byteCount: Int64 = 1 << 20

    private let directory: Directory
    private(set) var isHeld = false

    /// Takes the room, if there is any.
    init(in directory: Directory) {
        self.directory = directory
        hold()
    }

    /// Takes the room again.
    mutating func hold() {
        guard !isHeld else { return }
        do throws(SystemCallError) {
            let file = try directory.open(Self.name, .create)
            try file.reserve(Self.byteCount)
            isHeld = true
        } catch {
            // There is none, or the file system does not do that: then ends wait for room as all else does.
            try? directory.remove(Self.name)
        }
    }

    /// Gives the room up.
    ///
    /// - Returns: Whether there was any.
    mutating func giveUp() -> Bool {
        guard isHeld else { return false }
        isHeld = false
        return (try? directory.remove(Self.name)) != nil
    }
}

extension CommitRequest {
    /// Whether the request ends something that takes room, or may, and begins nothing.
    var isEnding: Bool {
        var ends = false
        for mutation in mutations {
            switch mutation {
            case .completeTask, .deleteTask, .deleteSession, .deleteApplication, .acknowledge:
                ends = true
            case .insertTask, .openSession: return false
            default: continue
            }
        }
        return ends
    }
}
