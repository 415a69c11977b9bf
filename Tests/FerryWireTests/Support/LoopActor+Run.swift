import Dispatch
import FerrySystem

extension LoopActor {
    /// Runs `body` on the loop.
    @LoopActor
    static func run<T: Sendable>(
        _ body: @LoopActor () throws -> T
    ) async rethrows -> T {
        try body()
    }

    /// Runs `body` here while the loop does nothing at all.
    static func blocked<T>(_ body: () throws -> T) rethrows -> T {
        let isBlocked = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        perform {
            isBlocked.signal()
            mayGoOn.wait()
        }
        isBlocked.wait()
        defer { mayGoOn.signal() }
        return try body()
    }
}
