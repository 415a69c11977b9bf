import CFerryLinux
import Glibc

/// Who is at the other end of a Unix socket, as the kernel noted it at the connection.
package struct PeerCredentials: Hashable, Sendable {
    /// The process.
    package var processIdentifier: Int32
    /// The process's effective user.
    package var userIdentifier: UInt32
    /// The process's effective group.
    package var groupIdentifier: UInt32

    /// Asks the kernel for the peer of a connected Unix socket.
    package init(of descriptor: Int32) throws(SystemCallError) {
        var credentials = CFerryLinux_ucred()
        var length = socklen_t(MemoryLayout<CFerryLinux_ucred>.size)
        try systemCall("getsockopt") {
            getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
        }
        processIdentifier = credentials.pid
        userIdentifier = credentials.uid
        groupIdentifier = credentials.gid
    }
}
