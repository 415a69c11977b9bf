import CFerryLinux
import Glibc

/// Bytes and descriptors over a Unix socket.
package enum SocketMessage {
    /// The received bytes and descriptors.
    package struct Received: Sendable {
        /// The number of bytes put into the buffer; 0 if the peer has closed.
        package var byteCount: Int
        /// The received descriptors, closed on exec; the receiver owns them.
        package var descriptors: [Int32]
        /// Whether further descriptors were sent that this process could not have, as it has too many (unix(7)).
        package var hasLostDescriptors = false
    }

    /// The maximum number of descriptors in one message.
    package static let maximumDescriptorCount = 16

    /// Sends as many bytes as the socket takes now.
    ///
    /// - Parameters:
    ///   - bytes: At least one byte.
    ///   - descriptors: Passed with the first byte; the sender keeps its own.
    ///   - socket: A connected socket that does not block.
    /// - Returns: The number of bytes taken, or `nil` for none now.
    /// - Throws: `sendmsg` with `EPIPE` or `ECONNRESET` if the peer is gone; never a signal.
    package static func send(
        _ bytes: UnsafeRawBufferPointer,
        descriptors: [Int32] = [],
        over socket: Int32
    ) throws(SystemCallError) -> Int? {
        guard descriptors.count <= maximumDescriptorCount else {
            throw SystemCallError(call: "sendmsg", errno: EINVAL, subject: "descriptors")
        }
        do throws(SystemCallError) {
            return try withMessage(
                UnsafeMutableRawBufferPointer(mutating: bytes),
                descriptorCount: descriptors.count
            ) { message throws(SystemCallError) in
                if !descriptors.isEmpty { attach(descriptors, to: &message) }
                return try systemCall("sendmsg") {
                    sendmsg(socket, &message, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
                }
            }
        } catch let error where error.errno == EAGAIN {
            return nil
        }
    }

    /// Receives the bytes that are available; returns `nil` if there are none now.
    ///
    /// - Throws: `recvmsg` with `ECONNRESET` if the peer has reset the connection.
    package static func receive(
        into buffer: UnsafeMutableRawBufferPointer,
        from socket: Int32
    ) throws(SystemCallError) -> Received? {
        do throws(SystemCallError) {
            return try withMessage(
                buffer,
                descriptorCount: maximumDescriptorCount
            ) { message throws(SystemCallError) in
                let count = try systemCall("recvmsg") {
                    recvmsg(
                        socket,
                        &message,
                        Int32(MSG_CMSG_CLOEXEC | MSG_DONTWAIT)
                    )
                }
                return Received(
                    byteCount: count,
                    descriptors: descriptors(in: &message),
                    hasLostDescriptors: message.msg_flags & Int32(MSG_CTRUNC) != 0
                )
            }
        } catch let error where error.errno == EAGAIN {
            return nil
        }
    }

    private static func withMessage<T>(
        _ buffer: UnsafeMutableRawBufferPointer,
        descriptorCount: Int,
        _ body: (inout msghdr) throws(SystemCallError) -> T
    ) throws(SystemCallError) -> T {
        let space = CFerryLinux_CMSG_SPACE(descriptorCount * MemoryLayout<Int32>.size)
        let control = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(space, 1),
            alignment: MemoryLayout<cmsghdr>.alignment
        )
        defer { control.deallocate() }
        _ = control.initializeMemory(as: UInt8.self, repeating: 0)
        let vector = UnsafeMutablePointer<iovec>.allocate(capacity: 1)
        defer { vector.deallocate() }
        vector.initialize(to: iovec(iov_base: buffer.baseAddress, iov_len: buffer.count))
        var message = msghdr()
        message.msg_iov = vector
        message.msg_iovlen = 1
        if descriptorCount > 0 {
            message.msg_control = control.baseAddress
            message.msg_controllen = space
        }
        return try body(&message)
    }

    private static func attach(_ descriptors: [Int32], to message: inout msghdr) {
        guard let header = CFerryLinux_CMSG_FIRSTHDR(&message) else { return }
        let size = descriptors.count * MemoryLayout<Int32>.size
        header.pointee.cmsg_level = SOL_SOCKET
        header.pointee.cmsg_type = Int32(SCM_RIGHTS)
        header.pointee.cmsg_len = CFerryLinux_CMSG_LEN(size)
        descriptors.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: CFerryLinux_CMSG_DATA(header), count: size)
                .copyMemory(from: bytes)
        }
    }

    private static func descriptors(in message: inout msghdr) -> [Int32] {
        var found: [Int32] = []
        var next = CFerryLinux_CMSG_FIRSTHDR(&message)
        while let header = next {
            if header.pointee.cmsg_level == SOL_SOCKET,
                header.pointee.cmsg_type == Int32(SCM_RIGHTS)
            {
                let size = header.pointee.cmsg_len - CFerryLinux_CMSG_LEN(0)
                let data = UnsafeRawPointer(CFerryLinux_CMSG_DATA(header))
                for offset in stride(from: 0, to: size, by: MemoryLayout<Int32>.size) {
                    found.append(data.loadUnaligned(fromByteOffset: offset, as: Int32.self))
                }
            }
            next = CFerryLinux_CMSG_NXTHDR(&message, header)
        }
        return found
    }
}
