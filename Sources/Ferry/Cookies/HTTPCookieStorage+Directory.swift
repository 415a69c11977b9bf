import Foundation
import FoundationNetworking

extension HTTPCookieStorage {
    /// The shared storage, whose file others cannot reach unless its directory was there before.
    ///
    /// Everybody may read the file that Foundation writes, and with each change it makes a new one. So the
    /// directory is made first, as the XDG Base Directory Specification wants it: for its user only.
    static var privateShared: HTTPCookieStorage {
        directory
        return shared
    }

    /// Where Foundation puts the file.
    private static let directory: Void = {
        let name = Bundle.main.bundleURL.deletingPathExtension().lastPathComponent
        let manager = FileManager.default
        let support = manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        guard let path = support?.appendingPathComponent(name).path,
            !manager.fileExists(atPath: path)
        else { return }
        // Should this fail, Foundation looks for another place.
        try? manager.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }()
}
