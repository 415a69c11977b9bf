import FerrySystem

/// Disk space that is reserved so that tasks can end on a full disk, which their own files may have filled.
struct Reserve {
    private static let name = "reserve"
    /// Enough for ending some hundred tasks.
    private static let byteCount: Int64 = 1 << 20

    private let directory: Directory
    private(set) var isHeld = false

    /// Reserves the space, if there is any.
    init(in directory: Directory) {
        self.directory = directory
        hold()
    }

    /// Reserves the space again.
    mutating func hold() {
        guard !isHeld else { return }
        do throws(SystemCallError) {
            let file = try directory.open(Self.name, .create)
            try file.reserve(Self.byteCount)
            isHeld = true
        } catch {
            // There is no space, or the file system does not support this: then ends wait for space like all
            // other changes.
            try? directory.remove(Self.name)
        }
    }

    /// Releases the space.
    ///
    /// - Returns: Whether space was released.
    mutating func giveUp() -> Bool {
        guard isHeld else { return false }
        isHeld = false
        return (try? directory.remove(Self.name)) != nil
    }
}

extension CommitRequest {
    /// Whether the request ends something that takes, or may take, space, and begins nothing.
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
