import CFerryLinux

/// What a descriptor is ready for.
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
