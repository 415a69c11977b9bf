/// A listening socket in the file system.
package struct BoundSocket: Hashable, Sendable {
    /// Where it lies.
    package var path: String
    /// The socket, closed on exec; the receiver of this value owns it.
    package var descriptor: Int32

    /// Describes a listening socket.
    package init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }
}
