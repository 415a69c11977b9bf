import FerrySystem

/// Messages that wait for room in the socket.
struct OutputBuffer {
    /// A buffer that once held much is given back, so that idle connections stay small.
    private static let keptCapacity = 64 * 1024

    private var bytes: [UInt8] = []
    /// How many of the bytes have been sent.
    private var sent = 0

    /// How many bytes wait.
    var byteCount: Int { bytes.count - sent }

    /// Adds a message.
    mutating func append(_ message: [UInt8]) {
        if bytes.isEmpty { bytes = message } else { bytes += message }
    }

    /// Hands bytes to `send` until there are none or it takes none.
    ///
    /// - Parameter send: Returns how many of the bytes it took; `nil` for none now.
    /// - Throws: What `send` throws; the bytes it did not take are kept.
    mutating func drain(
        through send: (UnsafeRawBufferPointer) throws(SystemCallError) -> Int?
    ) throws(SystemCallError) {
        while sent < bytes.count {
            let result = bytes.withUnsafeBytes { buffer in
                Result { () throws(SystemCallError) in
                    try send(UnsafeRawBufferPointer(rebasing: buffer[sent...]))
                }
            }
            guard let count = try result.get() else { break }
            sent += count
        }
        compact()
    }

    private mutating func compact() {
        if sent == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
            sent = 0
        } else if sent > bytes.count / 2 {
            // Moving less than half at a time keeps the total work in proportion to the bytes.
            bytes.removeSubrange(..<sent)
            sent = 0
        }
    }
}
