import CFerryLinux
import Glibc

/// The peer of a Unix socket, as the kernel recorded it when the connection was made.
package struct PeerCredentials: Hashable, Sendable {
    /// The process; 0 for one that cannot be seen from this process's PID namespace.
    package var processIdentifier: Int32
    /// A number that distinguishes the process from all others, including those that cannot be seen; 0 if the
    /// kernel has none.
    package var process: Int64
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
        process = credentials.pid > 0 ? Int64(credentials.pid) : -Self.inode(ofPeer: descriptor)
    }

    /// Returns the number of the peer's pidfd in its file system, which no other process ever has; 0 for
    /// none.
    ///
    /// Linux has the option since 6.5 and the file system since 6.9: before, all pidfds have the same number.
    private static func inode(ofPeer descriptor: Int32) -> Int64 {
        var raw: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, peerDescriptorOption, &raw, &length) == 0, raw >= 0
        else { return 0 }
        let process = FileDescriptor(owning: raw)
        guard CFerryLinux_isInProcessFileSystem(process.rawValue) != 0 else { return 0 }
        return (try? process.status()).flatMap { Int64(exactly: $0.inode) } ?? 0
    }

    /// `SO_PEERPIDFD`, which older headers lack.
    private static let peerDescriptorOption: Int32 = 77
}
