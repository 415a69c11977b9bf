import FerrySystem
@preconcurrency import Glibc

/// A regular file that has the name of a finished one already.
struct PresentFile {
    /// Its permissions.
    let permissions: mode_t
    private let modificationTime: Int
    private let changeTime: timespec

    /// Finds a file; nil if there is none, or something else, such as a directory or a link.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - directory: The directory.
    init?(_ name: String, in directory: Directory) {
        var status = stat()
        guard fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        permissions = status.st_mode & 0o7777
        modificationTime = status.st_mtim.tv_sec
        changeTime = status.st_ctim
    }

    /// Whether a finished file takes its place.
    ///
    /// None does if it was changed after the command had begun: by its user, or by another download of the same command.
    ///
    /// - Parameter attributes: The attributes of the finished file.
    /// - Returns: Whether it is replaced.
    func isReplaced(by attributes: Placement.Attributes) -> Bool {
        guard let begun = attributes.begun else { return false }
        let (seconds, nanoseconds) = begun.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard (changeTime.tv_sec, changeTime.tv_nsec) <= (Int(seconds), Int(nanoseconds)) else {
            return false
        }
        return switch attributes.precedence {
        case .both, .old: false
        case .new: true
        case .newer: isOlder(than: attributes) == true
        }
    }

    /// Whether it stays, and the finished file goes.
    ///
    /// - Parameter attributes: The attributes of the finished file.
    /// - Returns: Whether it stays alone.
    func staysAlone(beside attributes: Placement.Attributes) -> Bool {
        switch attributes.precedence {
        case .both, .new: false
        case .old: true
        case .newer: isOlder(than: attributes) == false
        }
    }

    /// Whether its content is older; nil if the server has not said when that of the finished file was changed.
    private func isOlder(than attributes: Placement.Attributes) -> Bool? {
        attributes.modificationTime.map { modificationTime < $0 }
    }
}
