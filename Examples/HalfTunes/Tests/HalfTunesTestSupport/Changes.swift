/// Waits for conditions, looking at them whenever something has changed.
@MainActor
package final class Changes {
    private let (changes, change) = AsyncStream.makeStream(of: Void.self)

    package init() {}

    /// Something has changed.
    package func note() {
        change.yield()
    }

    /// Returns when a condition holds.
    package func until(_ condition: () -> Bool) async {
        if condition() { return }
        for await _ in changes where condition() { return }
    }
}
