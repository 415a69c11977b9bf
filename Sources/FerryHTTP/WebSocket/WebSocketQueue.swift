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

    /// Removes and returns all elements, in order.
    mutating func takeAll() -> [Element] {
        defer { self = Self() }
        return elements[start...].compactMap { $0 }
    }
}
