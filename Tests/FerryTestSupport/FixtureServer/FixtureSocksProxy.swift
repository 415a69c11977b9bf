import Foundation
import Synchronization

/// A proxy on loopback that speaks SOCKS 5 (RFC 1928), and connects to one port whatever it is
/// asked for.
package final class FixtureSocksProxy: Sendable {
    /// The port, chosen by the kernel.
    package let port: UInt16
    private let stopped = FixtureGate()
    private let log = Log()

    private final class Log: Sendable {
        let hosts = Mutex<[String]>([])
    }

    /// Listens, until the end of this object.
    ///
    /// - Parameter port: Where all connections lead, on loopback.
    /// - Throws: `SystemCallError` when there is no port.
    package init(to port: UInt16) throws {
        let listener = try FixtureListener(host: "127.0.0.1")
        self.port = listener.port
        Thread.detachNewThread { [stopped, log] in
            listener.acceptAll(until: stopped) { socket in
                Thread.detachNewThread {
                    guard let host = Self.greet(socket) else { return }
                    log.hosts.withLock { $0.append(host) }
                    guard let far = FixtureSocket(to: port, stopped: stopped) else { return }
                    guard socket.sendAll([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]) else { return }
                    FixtureTunnel(socket, far).carry()
                }
            }
        }
    }

    deinit {
        stopped.open()
    }

    /// The names that connections were asked for to.
    package var hosts: [String] { log.hosts.withLock { $0 } }

    /// Reads what a client offers, wants no password, and reads the name that it wants to reach.
    private static func greet(_ socket: FixtureSocket) -> String? {
        guard let offer = socket.take(2), offer[0] == 5, socket.take(Int(offer[1])) != nil,
            socket.sendAll([5, 0]),
            // A name, as told by its kind: 3.
            let request = socket.take(5), request[1] == 1, request[3] == 3,
            let name = socket.take(Int(request[4])), socket.take(2) != nil
        else { return nil }
        return String(decoding: name, as: UTF8.self)
    }
}

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
