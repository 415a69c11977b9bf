import CFerryLinux
import Glibc

/// A socket on which the kernel reports links, addresses and routes.
@LoopActor
final class RouteSocket {
    enum Reception: Equatable {
        /// Nothing more for now.
        case nothing
        /// Messages were lost because there was no room for them.
        case loss
        /// Some messages.
        case datagram([UInt8])
    }

    /// The kernel sends parts of a list that are as large as the reader's buffer, and at most half of this.
    private static let bufferSize = 65_536

    /// The number that identifies this socket among those of netlink.
    let port: UInt32
    private let owned: FileDescriptor
    private var buffer = [UInt8](repeating: 0, count: bufferSize)

    /// The descriptor, to watch.
    var descriptor: Int32 { owned.rawValue }

    /// Opens a socket that receives every change.
    ///
    /// - Throws: `socket`, `bind`, `getsockname`; in a sandbox, for instance.
    convenience init() throws(SystemCallError) {
        let owned = FileDescriptor(
            owning: try systemCall("socket", "netlink") { CFerryLinux_openRouteSocket() }
        )
        let descriptor = owned.rawValue
        var port: UInt32 = 0
        try systemCall("bind", "netlink") { CFerryLinux_bindRouteSocket(descriptor, &port) }
        self.init(owning: owned, port: port)
    }

    /// Takes over a socket that is bound.
    init(owning owned: consuming FileDescriptor, port: UInt32) {
        self.owned = owned
        self.port = port
    }

    /// Requests a list; the answer is ready to be received when this returns.
    func request(_ listing: RouteListing, sequence: UInt32) throws(SystemCallError) {
        let request = listing.request(sequence: sequence)
        try systemCall("send", "netlink") { send(descriptor, request, request.count, 0) }
    }

    /// Receives the next messages.
    ///
    /// - Throws: `recvfrom`; with `EMSGSIZE` for a datagram that is larger than any of the kernel's.
    func receive() throws(SystemCallError) -> Reception {
        do throws(SystemCallError) {
            return .datagram(try receiveDatagram())
        } catch let error where error.errno == EAGAIN {
            return .nothing
        } catch let error where error.errno == ENOBUFS {
            return .loss
        }
    }

    private func receiveDatagram() throws(SystemCallError) -> [UInt8] {
        var sender: UInt32 = 0
        let count = try systemCall("recvfrom", "netlink") {
            CFerryLinux_receiveFromRouteSocket(descriptor, &buffer, buffer.count, &sender)
        }
        guard count <= buffer.count else {
            throw SystemCallError(call: "recvfrom", errno: EMSGSIZE, subject: "netlink")
        }
        // Other processes can have netlink sockets, too; only the kernel's number is 0.
        return sender == 0 ? Array(buffer[..<count]) : []
    }
}
