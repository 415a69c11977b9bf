import FerrySystem
import Foundation

/// A directory that goes away with its holder.
final class TemporaryPlace: Sendable {
    let directory: Directory
    var path: String { directory.path }

    init() throws {
        let path = "/tmp/ferry-wire-\(UUID().uuidString)"
        directory = try Directory(opening: path, creatingPrivate: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
