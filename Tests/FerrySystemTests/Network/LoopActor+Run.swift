import FerrySystem

extension LoopActor {
    /// Runs `body` on the loop.
    @LoopActor
    static func run<T: Sendable>(
        _ body: @LoopActor () throws -> T
    ) async rethrows -> T {
        try body()
    }
}
