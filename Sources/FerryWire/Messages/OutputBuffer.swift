import FerrySystem

/// Messages that wait for room in the socket.
struct OutputBuffer {
    /// The capacity that an empty buffer may keep, so that idle connections stay small.
    private static let keptCapacity = 64 * 1024

    private struct Passage {
        /// The range of its message, counted from the first byte ever added.
        let range: Range<UInt64>
        let file: UserFile
    }

    private var bytes: [UInt8] = []
    /// The files that wait with their messages.
    private var files: [Passage] = []
    /// The total numbers of bytes added and sent.
    private var addedByteCount: UInt64 = 0
    private var sentByteCount: UInt64 = 0
    /// The number of buffered bytes that have been sent.
    private var sent = 0

    /// The number of bytes that wait.
    var byteCount: Int { bytes.count - sent }

    /// Adds a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - file: A file that is passed with its first byte, and with no other message's.
    mutating func append(_ message: [UInt8], file: UserFile? = nil) {
        let start = addedByteCount
        addedByteCount += UInt64(message.count)
        if let file { files.append(Passage(range: start..<addedByteCount, file: file)) }
        if bytes.isEmpty { bytes = message } else { bytes += message }
    }

    /// Passes bytes to `send` until there are none or it accepts none.
    ///
    /// - Parameter send: Returns the number of bytes it accepted; `nil` for none now.
    /// - Throws: The error of `send`; the bytes it did not accept are kept.
    mutating func drain(
        through send: (UnsafeRawBufferPointer) throws(SystemCallError) -> Int?
    ) throws(SystemCallError) {
        try drainWithFiles { bytes, _ throws(SystemCallError) in try send(bytes) }
    }

    /// Passes bytes to `send` until there are none or it accepts none, with the files that belong to them.
    ///
    /// - Parameter send: Returns the number of bytes it accepted; `nil` for none now.
    /// - Throws: The error of `send`; the bytes it did not accept are kept.
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
            // The kernel has the file with the first of the bytes.
            if file != nil, count > 0 { files.removeFirst() }
        }
        compact()
    }

    /// The end of the bytes that may be sent next, and the file that is passed with them.
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
