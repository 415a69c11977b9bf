import CFerryLinux

/// A descriptor that the event loop watches.
///
/// The loop keeps a watch until ``cancel()``, which must be called before the descriptor is closed.
@LoopActor
package final class Watch {
    let key: UInt64
    let descriptor: Int32
    private var handler: (@LoopActor (Readiness) -> Void)?

    init(key: UInt64, descriptor: Int32, handler: @escaping @LoopActor (Readiness) -> Void) {
        self.key = key
        self.descriptor = descriptor
        self.handler = handler
    }

    /// Waits for `readiness` from now on; an empty set reports only hang-ups.
    package func update(_ readiness: Readiness) throws(SystemCallError) {
        try EventLoop.shared.update(self, readiness)
    }

    /// Stops watching; the handler is not called again and is released.
    package func cancel() {
        handler = nil
        EventLoop.shared.remove(self)
    }

    func fire(_ readiness: Readiness) { handler?(readiness) }
}

/// The events that a descriptor is ready for.
package struct Readiness: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There are bytes to read, a connection to accept, or the peer has closed.
    package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// There is room to write, or a connection attempt has ended.
    package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// An error or a hang-up; always reported, never asked for.
    package static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
}
