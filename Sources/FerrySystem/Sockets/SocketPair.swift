/// Two sockets that are connected to each other.
package struct SocketPair: ~Copyable, Sendable {
    /// One end.
    package let first: FileDescriptor
    /// The other end.
    package let second: FileDescriptor

    /// Hands both ends to `body`, which owns them.
    package consuming func split<T>(
        _ body: (consuming FileDescriptor, consuming FileDescriptor) throws -> T
    ) rethrows -> T {
        try body(first, second)
    }

    init(first: consuming FileDescriptor, second: consuming FileDescriptor) {
        self.first = first
        self.second = second
    }
}
