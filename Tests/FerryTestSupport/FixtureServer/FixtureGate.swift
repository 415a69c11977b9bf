@preconcurrency import Glibc

/// A gate that holds up an answer until a test opens it; then it stays open.
package final class FixtureGate: Sendable {
    /// Readable once the gate is open: so that a thread can wait for this and a socket at once.
    let descriptor: Int32
    private let writer: Int32

    /// Makes a closed gate.
    package init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "No descriptors are left for a pipe")
        descriptor = ends[0]
        writer = ends[1]
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    /// Lets pass whatever waits here, now and later.
    package func open() {
        // The byte is never read, and so the pipe stays readable for everybody.
        var byte: UInt8 = 1
        _ = write(writer, &byte, 1)
    }

    /// Holds this thread up until the gate is open.
    package func wait() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, -1) != 1 {}
    }

    /// Whether the gate is open.
    package var isOpen: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }
}

/// Where a ``FixtureServer`` stops to read a request's body, until its gate is opened.
package struct FixtureHold: Sendable {
    /// How many bytes of the body it reads first.
    package var byteCount: Int
    /// What lets it read on.
    package var gate: FixtureGate

    /// Makes a hold; without a gate it lasts as long as the connection.
    package init(after byteCount: Int, at gate: FixtureGate = FixtureGate()) {
        self.byteCount = byteCount
        self.gate = gate
    }
}
