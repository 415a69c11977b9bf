import Foundation
import FoundationNetworking

extension HTTPCookieStorage {
    /// The shared storage, whose file other users cannot reach unless its directory already existed.
    ///
    /// Foundation writes a file that every user can read, and a new one with each change. So the directory is made
    /// first, as the XDG Base Directory Specification requires: for its user only.
    static var privateShared: HTTPCookieStorage {
        directory
        return shared
    }

    /// Creates the directory for Foundation's file.
    private static let directory: Void = {
        let name = Bundle.main.bundleURL.deletingPathExtension().lastPathComponent
        let manager = FileManager.default
        let support = manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        guard let path = support?.appendingPathComponent(name).path,
            !manager.fileExists(atPath: path)
        else { return }
        // If this fails, Foundation looks for another place.
        try? manager.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }()
}
