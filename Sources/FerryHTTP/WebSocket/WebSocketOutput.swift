/// Bytes on their way to a connection.
///
/// They stay at one address until they have left, as ``CurlEasy/send(_:)`` demands, and there is no
/// memory for them while there are none.
struct WebSocketOutput: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer?
    private var start = 0
    private var end = 0
    private let capacity: Int
    /// How many bytes were ever put in.
    private(set) var appendedByteCount: UInt64 = 0
    /// How many bytes have ever left.
    private(set) var sentByteCount: UInt64 = 0

    init(capacity: Int = 64 << 10) {
        self.capacity = capacity
    }

    deinit {
        storage?.deallocate()
    }

    var isEmpty: Bool { start == end }

    /// Whether anything can be put in.
    var hasRoom: Bool { end < capacity }

    /// What is to be sent next.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage ?? Self.none)[start..<end])
    }

    private static var none: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    /// Puts bytes in, as many as there is room for.
    ///
    /// - Returns: How many.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = min(bytes.count, capacity - end)
        guard count > 0 else { return 0 }
        let storage = self.storage ?? .allocate(byteCount: capacity, alignment: 1)
        self.storage = storage
        UnsafeMutableRawBufferPointer(rebasing: storage[end...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        end += count
        appendedByteCount += UInt64(count)
        return count
    }

    /// As many bytes have left.
    mutating func sent(_ count: Int) {
        start += count
        sentByteCount += UInt64(count)
        guard start == end else { return }
        storage?.deallocate()
        storage = nil
        start = 0
        end = 0
    }
}
