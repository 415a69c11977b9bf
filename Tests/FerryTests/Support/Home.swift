import FerrySystem
import Foundation
import Synchronization
import Testing

/// A home of the test process's own, so that tests touch nothing of the user's.
enum Home {
    /// Set before the first session looks: environment variables belong to the whole process.
    static let path: String = {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("ferry-tests-\(getpid())").path
        ProcessEnvironment.set("XDG_CACHE_HOME", path + "/cache")
        ProcessEnvironment.set("XDG_STATE_HOME", path + "/state")
        ProcessEnvironment.remove("XDG_RUNTIME_DIR")
        atexit { try? FileManager.default.removeItem(atPath: Home.path) }
        return path
    }()

    /// The files that downloads have left, by their endings.
    static var leftovers: [String] {
        let directory = path + "/cache/ferry/downloads"
        return (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }
}
