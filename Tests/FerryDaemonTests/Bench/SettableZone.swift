import Synchronization

@testable import FerryDaemon

/// A time zone that a test changes.
final class SettableZone: Sendable {
    private let value = Mutex(0)

    /// By how many seconds its clock is ahead of UTC.
    var offset: Int {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }

    /// Its clock.
    var clock: LocalClock { LocalClock { [self] _ in offset } }
}
