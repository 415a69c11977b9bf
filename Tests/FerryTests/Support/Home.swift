import FerrySystem
import Foundation
import Synchronization
import Testing

/// A home of the test process's own, so that tests touch nothing of the user's.
enum Home {
    /// Set before the first session looks: environment variables belong to the whole process.
    static let path: String = {
        let parent = ProcessEnvironment[parentVariable]
        let path =
            parent.map { "\($0)/child-\(getpid())" }
            ?? FileManager.default.temporaryDirectory
            .appendingPathComponent("ferry-tests-\(getpid())").path
        ProcessEnvironment.set("XDG_CACHE_HOME", path + "/cache")
        ProcessEnvironment.set("XDG_STATE_HOME", path + "/state")
        ProcessEnvironment.remove("XDG_RUNTIME_DIR")
        // These tests have daemons of their own; none is to be started.
        ProcessEnvironment.set("FERRY_DAEMON", path + "/no-daemon")
        // The processes of exit tests may end in any way, and leave what they have to this one.
        if parent == nil {
            ProcessEnvironment.set(parentVariable, path)
            atexit { try? FileManager.default.removeItem(atPath: Home.path) }
        }
        return path
    }()

    private static let parentVariable = "FERRY_TESTS_HOME"

    /// The files that downloads have left, by their endings.
    static var leftovers: [String] {
        let directory = path + "/cache/ferry/downloads"
        return (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }
}
