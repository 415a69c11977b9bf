import Foundation

/// Carries connections to a server on loopback, and cuts the first ones off.
package final class CuttingRelay: Sendable {
    /// The port to connect to.
    package let port: UInt16
    /// The cuts that are left, and those that were made.
    package let cuts: Countdown
    private let stopped = FixtureGate()

    /// Listens and carries, until the end of this object.
    ///
    /// - Parameters:
    ///   - target: The server's port.
    ///   - byteCount: After how many bytes from the client a connection is cut. The server gets those; what it answers to
    ///     them does not reach the client.
    ///   - times: How often that happens.
    ///   - resets: Whether the client sees a reset; otherwise it sees an end.
    /// - Throws: When there is no port.
    package init(
        to target: UInt16,
        cuttingAfter byteCount: Int,
        times: Int,
        resets: Bool = false
    ) throws {
        let listener = try FixtureListener(host: "127.0.0.1")
        port = listener.port
        let cuts = Countdown(times)
        self.cuts = cuts
        Thread.detachNewThread { [stopped] in
            listener.acceptAll(until: stopped) { near in
                guard let far = near.connection(to: target) else { return }
                let isCut = FixtureGate()
                Thread.detachNewThread {
                    Self.carry(from: far, to: near) { bytes in isCut.isOpen || near.sendAll(bytes) }
                }
                Thread.detachNewThread {
                    var total = 0
                    Self.carry(from: near, to: far) { bytes in
                        total += bytes.count
                        guard total >= byteCount, cuts.take() else { return far.sendAll(bytes) }
                        isCut.open()
                        _ = far.sendAll(bytes)
                        if resets { near.reset() } else { near.cut() }
                        return false
                    }
                }
            }
        }
    }

    deinit { stopped.open() }

    /// Carries one direction to its end, or until `send` says that it does not go on.
    private static func carry(
        from source: FixtureSocket,
        to target: FixtureSocket,
        send: ([UInt8]) -> Bool
    ) {
        // The other direction ends with the sockets' own ends.
        defer { target.endSending() }
        while true {
            var bytes: [UInt8] = []
            switch source.receive(into: &bytes) {
            case .bytes:
                guard send(bytes) else { return }
            case .ended: return
            case .wouldBlock: guard case .ready = source.waitUntilReadable() else { return }
            }
        }
    }
}
