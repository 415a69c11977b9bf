import Synchronization

/// A list that tests append to from any thread.
package final class Recorder<Element: Sendable>: Sendable {
    private let storage = Mutex<[Element]>([])

    /// Creates an empty list.
    package init() {}

    /// What was appended so far, in order.
    package var elements: [Element] { storage.withLock { $0 } }

    /// Adds an element at the end.
    package func append(_ element: Element) { storage.withLock { $0.append(element) } }
}
