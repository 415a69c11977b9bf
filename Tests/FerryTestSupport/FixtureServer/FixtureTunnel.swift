import Foundation

/// Carries bytes between two sockets until either end is done.
final class FixtureTunnel: Sendable {
    private let near: FixtureSocket
    private let far: FixtureSocket

    /// Makes a tunnel between two sockets that are connected.
    init(_ near: FixtureSocket, _ far: FixtureSocket) {
        self.near = near
        self.far = far
    }

    /// Carries, and returns at the end.
    func carry() {
        let back = Thread { [near, far] in Self.carry(from: far, to: near) }
        back.start()
        Self.carry(from: near, to: far)
    }

    private static func carry(from source: FixtureSocket, to target: FixtureSocket) {
        // The other direction ends with the sockets' own ends.
        defer { target.endSending() }
        while true {
            var bytes: [UInt8] = []
            switch source.receive(into: &bytes) {
            case .bytes: guard target.sendAll(bytes) else { return }
            case .ended: return
            case .wouldBlock: guard case .ready = source.waitUntilReadable() else { return }
            }
        }
    }
}
