import FoundationEssentials
@preconcurrency import Glibc

/// Splits a stream of bytes into messages: each ends with a NUL, however the bytes arrive.
struct MessageSplitter {
    /// The capacity that an empty buffer may keep, so that idle connections stay small.
    private static let keptCapacity = 64 * 1024

    private let limit: Int
    private var bytes: [UInt8] = []
    /// The start of the first message that has not been taken.
    private var start = 0
    /// The end of the bytes that contain no NUL: bytes that arrive one by one are searched only once.
    private var searched = 0

    /// Creates a splitter for messages of up to `limit` bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// The number of bytes that wait to be taken.
    var byteCount: Int { bytes.count - start }

    /// Adds bytes that have arrived.
    mutating func append(_ new: UnsafeRawBufferPointer) {
        if start > 0 {
            bytes.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: new)
    }

    /// Takes the next message without its NUL; `nil` when there is none yet.
    mutating func next() throws(MessageError) -> Data? {
        guard let end = indexOfNUL() else {
            searched = bytes.count
            if byteCount > limit { throw .tooLong(limit: limit) }
            return nil
        }
        if end - start > limit { throw .tooLong(limit: limit) }
        let message = Data(bytes[start..<end])
        start = end + 1
        searched = start
        if start == bytes.count { removeAll() }
        return message
    }

    private func indexOfNUL() -> Int? {
        bytes.withUnsafeBytes { buffer -> Int? in
            guard let base = buffer.baseAddress, searched < buffer.count else { return nil }
            return memchr(base + searched, 0, buffer.count - searched).map {
                UnsafeRawPointer($0) - base
            }
        }
    }

    private mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
        start = 0
        searched = 0
    }
}
