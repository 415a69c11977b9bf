import CFerryLinux
import Glibc

/// Who is at the other end of a Unix socket, as the kernel noted it at the connection.
package struct PeerCredentials: Hashable, Sendable {
    /// The process; 0 for one that cannot be seen from this process's PID namespace.
    package var processIdentifier: Int32
    /// What tells the process from all others, also from those that cannot be seen; 0 where the kernel does not tell.
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

    /// The number that the peer's pidfd has in its file system, which no other process ever has; 0 for none.
    ///
    /// Linux 6.5 has the option and 6.9 the file system: before, all pidfds have the same number.
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
