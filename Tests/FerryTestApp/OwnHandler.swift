import Foundation
import Synchronization

/// A program's own handler of SIGTERM, which tells of the signal and ends the process with status 3.
enum OwnHandler {
    private static let descriptor = Atomic<Int32>(-1)

    static func install(writingTo path: String) {
        descriptor.store(open(path, O_WRONLY | O_APPEND | O_CLOEXEC), ordering: .relaxed)
        signal(SIGTERM) { _ in
            _ = write(OwnHandler.descriptor.load(ordering: .relaxed), "own-handler\n", 12)
            _exit(3)
        }
    }
}
