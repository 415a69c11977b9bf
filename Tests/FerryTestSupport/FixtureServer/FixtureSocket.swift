@preconcurrency import Glibc

/// One accepted connection's socket; every wait for it ends when a gate opens.
final class FixtureSocket: Sendable {
    /// What ended a wait.
    enum Wake {
        /// The socket is ready.
        case ready
        /// The gate that was waited for is open.
        case gate
        /// The peer has gone, or the server is stopped.
        case ended
        /// Nothing happened for as long as was allowed.
        case timedOut
    }

    /// What came of a non-blocking call.
    enum Transfer {
        case bytes(Int)
        case wouldBlock
        case ended
    }

    /// Linux's POLLRDHUP, which Glibc's module hides: the peer has closed its side.
    private static let peerClosed: Int16 = 0x2000

    private let descriptor: Int32
    private let stopped: FixtureGate

    init(owning descriptor: Int32, stopped: FixtureGate) {
        self.descriptor = descriptor
        self.stopped = stopped
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Small pieces are to leave at once, as they are meant to be seen.
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(4))
    }

    /// Connects to a port on loopback; `nil` when nobody listens there.
    convenience init?(to port: UInt16, stopped: FixtureGate) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let isConnected = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        self.init(owning: descriptor, stopped: stopped)
    }

    deinit {
        close(descriptor)
    }

    /// How many of the sockets their peers have not closed.
    static func countOpenAtPeer(_ sockets: some Collection<FixtureSocket>) -> Int {
        var entries = sockets.map { pollfd(fd: $0.descriptor, events: peerClosed, revents: 0) }
        poll(&entries, nfds_t(entries.count), 0)
        return entries.count { $0.revents == 0 }
    }

    /// A connection to a port on loopback that is ended together with this one.
    func connection(to port: UInt16) -> FixtureSocket? {
        FixtureSocket(to: port, stopped: stopped)
    }

    /// Ends both directions.
    func cut() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Ends the connection with a reset, as a machine that has crashed does when it is back.
    func reset() {
        var nobody = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: sockaddr().sa_data)
        connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Says that nothing more will be sent.
    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Sends everything; `false` when the peer has gone.
    func sendAll(_ bytes: [UInt8]) -> Bool {
        var count = 0
        while count < bytes.count {
            switch send(bytes, from: count) {
            case .bytes(let sent): count += sent
            case .ended: return false
            case .wouldBlock: guard case .ready = waitUntilWritable() else { return false }
            }
        }
        return true
    }

    /// Reads exactly so many bytes; `nil` when the peer ends before.
    func take(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let result = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress.map { $0 + received }, count - received, 0)
            }
            received += max(0, result)
            if result > 0 { continue }
            guard case .wouldBlock = outcome(of: result), case .ready = waitUntilReadable() else {
                return nil
            }
        }
        return bytes
    }

    /// Appends what has arrived.
    func receive(into bytes: inout [UInt8]) -> Transfer {
        withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return outcome(of: count) }
            bytes += buffer.prefix(count)
            return .bytes(count)
        }
    }

    /// Sends as much of the bytes from a place on as the kernel takes.
    func send(_ bytes: [UInt8], from start: Int) -> Transfer {
        let count = bytes.withUnsafeBytes {
            let rest = $0.baseAddress.map { $0 + start }
            return Glibc.send(descriptor, rest, $0.count - start, Int32(MSG_NOSIGNAL))
        }
        return count > 0 ? .bytes(count) : outcome(of: count)
    }

    private func outcome(of count: Int) -> Transfer {
        count < 0 && (errno == EAGAIN || errno == EINTR) ? .wouldBlock : .ended
    }

    /// Makes the end of this socket a reset.
    func resetAtEnd() {
        var option = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
    }

    func waitUntilReadable() -> Wake { wait(for: POLLIN) }

    func waitUntilWritable(milliseconds: Int32 = -1) -> Wake {
        wait(for: POLLOUT, milliseconds: milliseconds)
    }

    /// Waits without looking at what arrives, but for the peer's going away.
    func wait(for gate: FixtureGate) -> Wake { wait(for: 0, gate: gate) }

    func wait(milliseconds: Int32) -> Wake { wait(for: 0, milliseconds: milliseconds) }

    private func wait(
        for events: Int32,
        gate: FixtureGate? = nil,
        milliseconds: Int32 = -1
    ) -> Wake {
        var entries = [
            pollfd(fd: descriptor, events: Int16(events) | Self.peerClosed, revents: 0),
            pollfd(fd: stopped.descriptor, events: Int16(POLLIN), revents: 0),
            // A negative descriptor is left out by poll(2).
            pollfd(fd: gate?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        var count = poll(&entries, 3, milliseconds)
        while count < 0, errno == EINTR {
            count = poll(&entries, 3, milliseconds)
        }
        if entries[1].revents != 0 { return .ended }
        if entries[2].revents != 0 { return .gate }
        // What arrived before the peer closed is still to be read.
        if entries[0].revents & Int16(events) != 0 { return .ready }
        return count == 0 ? .timedOut : .ended
    }
}
