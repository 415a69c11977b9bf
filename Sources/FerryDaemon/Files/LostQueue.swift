import FerryStore
import FerrySystem
import FoundationEssentials

/// A queue whose database has vanished, or was emptied, while its files are still there.
///
/// A new queue does not know these files and would delete them, even finished downloads. They are therefore put aside,
/// for a person to inspect.
struct LostQueue {
    private static let directories = ["downloads", "uploads"]

    /// A description of the loss and of what to do, for a person.
    let message: String

    /// Puts the files of a lost queue aside; `nil` where none was lost.
    ///
    /// - Parameters:
    ///   - state: The daemon's directory, with the database still closed.
    ///   - now: The time that names the directory for the files.
    /// - Throws: The system's error; nothing was deleted.
    init?(in state: Directory, at now: Date) throws(SystemCallError) {
        // The directories are made as soon as there is a database.
        let wasServed = try state.status(of: Self.directories[0]) != nil
        let hasLog = try Store.hasLog(in: state)
        guard try Store.isMissing(in: state), wasServed || hasLog else { return nil }
        let kept = try Self.putAside(in: state, at: now)
        message = """
            the queue \(state.path(of: Store.fileName)) has vanished or was emptied: an empty one begins, and \
            the transfers of the other are forgotten. \
            \(kept.map { "What they had loaded is in \($0)" } ?? "They had loaded nothing"). \
            If there is a backup of the queue, stop ferryd and put it back
            """
    }

    private static func putAside(
        in state: Directory,
        at now: Date
    ) throws(SystemCallError) -> String? {
        var names: [String] = try Store.hasLog(in: state) ? [Store.logName] : []
        for name in directories where try state.status(of: name) != nil {
            let files = try state.openSubdirectory(name, creating: false).names()
            if !files.isEmpty { names.append(name) }
        }
        guard !names.isEmpty else { return nil }
        let time = now.formatted(Date.ISO8601FormatStyle(timeSeparator: .omitted))
        let target = try state.openSubdirectory("lost-" + time)
        for name in names { try state.rename(name, to: target, as: name) }
        try state.synchronize()
        return target.path
    }
}
