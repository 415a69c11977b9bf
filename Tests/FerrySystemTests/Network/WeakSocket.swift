@testable import FerrySystem

/// A socket that somebody else keeps.
final class WeakSocket: Sendable {
    private weak let socket: RouteSocket?

    /// Whether anybody does.
    var isOpen: Bool { socket != nil }

    init(_ socket: RouteSocket) { self.socket = socket }
}
