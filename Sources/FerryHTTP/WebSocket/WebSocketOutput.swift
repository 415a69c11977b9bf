/// Bytes on their way to a connection.
///
/// They stay at one address until they are sent, as ``CurlEasy/send(_:)`` requires. Without bytes, there is
/// no memory for them.
struct WebSocketOutput: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer?
    private var start = 0
    private var end = 0
    private let capacity: Int
    /// The total number of bytes appended.
    private(set) var appendedByteCount: UInt64 = 0
    /// The total number of bytes sent.
    private(set) var sentByteCount: UInt64 = 0

    init(capacity: Int = 64 << 10) {
        self.capacity = capacity
    }

    deinit {
        storage?.deallocate()
    }

    var isEmpty: Bool { start == end }

    /// Whether there is room for more bytes.
    var hasRoom: Bool { end < capacity }

    /// The bytes to send next.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage ?? Self.none)[start..<end])
    }

    private static var none: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    /// Appends as many bytes as there is room for.
    ///
    /// - Returns: The number of bytes appended.
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

    /// Removes bytes that were sent.
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

/// A first-in, first-out queue with constant-time operations, which does not keep removed elements.
struct WebSocketQueue<Element> {
    private var elements: [Element?] = []
    private var start = 0

    var isEmpty: Bool { start == elements.count }

    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            elements[start] = nil
            start += 1
            if start * 2 > elements.count {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }

    /// Removes the first element that a condition holds for.
    ///
    /// - Returns: Whether there was one.
    mutating func removeFirst(where condition: (Element) -> Bool) -> Bool {
        let index = elements[start...].firstIndex { $0.map(condition) ?? false }
        guard let index else { return false }
        elements.remove(at: index)
        return true
    }

    /// Removes and returns all elements, in order.
    mutating func takeAll() -> [Element] {
        defer { self = Self() }
        return elements[start...].compactMap { $0 }
    }
}
