import FerrySystem

/// Messages that wait for room in the socket.
struct OutputBuffer {
    /// A buffer that once held much is given back, so that idle connections stay small.
    private static let keptCapacity = 64 * 1024

    private struct Passage {
        /// Where its message is, counted from the first byte ever.
        let range: Range<UInt64>
        let file: UserFile
    }

    private var bytes: [UInt8] = []
    /// The files that wait with their messages.
    private var files: [Passage] = []
    /// How many bytes were ever added, and sent.
    private var addedByteCount: UInt64 = 0
    private var sentByteCount: UInt64 = 0
    /// How many of the bytes have been sent.
    private var sent = 0

    /// How many bytes wait.
    var byteCount: Int { bytes.count - sent }

    /// Adds a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - file: What goes along with its first byte, and with no other message's.
    mutating func append(_ message: [UInt8], file: UserFile? = nil) {
        let start = addedByteCount
        addedByteCount += UInt64(message.count)
        if let file { files.append(Passage(range: start..<addedByteCount, file: file)) }
        if bytes.isEmpty { bytes = message } else { bytes += message }
    }

    /// Hands bytes to `send` until there are none or it takes none.
    ///
    /// - Parameter send: Returns how many of the bytes it took; `nil` for none now.
    /// - Throws: What `send` throws; the bytes it did not take are kept.
    mutating func drain(
        through send: (UnsafeRawBufferPointer) throws(SystemCallError) -> Int?
    ) throws(SystemCallError) {
        try drainWithFiles { bytes, _ throws(SystemCallError) in try send(bytes) }
    }

    /// Hands bytes to `send` until there are none or it takes none, with the files that go along.
    ///
    /// - Parameter send: Returns how many of the bytes it took; `nil` for none now.
    /// - Throws: What `send` throws; the bytes it did not take are kept.
    mutating func drainWithFiles(
        through send: (UnsafeRawBufferPointer, UserFile?) throws(SystemCallError) -> Int?
    ) throws(SystemCallError) {
        while sent < bytes.count {
            let (end, file) = nextPart
            let result = bytes.withUnsafeBytes { buffer in
                Result { () throws(SystemCallError) in
                    try send(UnsafeRawBufferPointer(rebasing: buffer[sent..<end]), file)
                }
            }
            guard let count = try result.get() else { break }
            sent += count
            sentByteCount += UInt64(count)
            // The kernel has it with the first of the bytes.
            if file != nil, count > 0 { files.removeFirst() }
        }
        compact()
    }

    /// Up to where the next bytes may be sent at once, and the file that goes along with them.
    private var nextPart: (end: Int, file: UserFile?) {
        guard let next = files.first else { return (bytes.count, nil) }
        let isDue = next.range.lowerBound == sentByteCount
        let end = isDue ? next.range.upperBound : next.range.lowerBound
        return (sent + Int(end - sentByteCount), isDue ? next.file : nil)
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
