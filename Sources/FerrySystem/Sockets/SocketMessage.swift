import CFerryLinux
import Glibc

/// Bytes and descriptors over a Unix socket.
package enum SocketMessage {
    /// What was received.
    package struct Received: Sendable {
        /// How many bytes were put into the buffer; 0 when the peer has closed.
        package var byteCount: Int
        /// Descriptors that came along, closed on exec; the receiver owns them.
        package var descriptors: [Int32]
    }

    /// The most descriptors that one message carries.
    package static let maximumDescriptorCount = 16

    /// Sends what the socket takes at once and returns how many bytes; `nil` when it takes none now.
    ///
    /// - Parameters:
    ///   - bytes: At least one byte.
    ///   - descriptors: Passed with the first byte; the sender keeps its own.
    ///   - socket: A connected socket that does not block.
    /// - Returns: How many bytes were taken, or `nil` for none now.
    /// - Throws: `sendmsg` with `EPIPE` or `ECONNRESET` when the peer has gone; never a signal.
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

    /// Receives what is there; `nil` when there is nothing now.
    ///
    /// - Throws: `recvmsg` with `ECONNRESET` when the peer has broken off.
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
                return Received(byteCount: count, descriptors: descriptors(in: &message))
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
