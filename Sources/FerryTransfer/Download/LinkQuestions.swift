/// Decides whether the app is asked for another address when that of its download has expired.
///
/// Otherwise a server that refuses every address, or an app that always gives the same one, would be asked as
/// fast as both can answer.
package struct LinkQuestions: Hashable, Sendable {
    /// How many addresses in a row may deliver nothing.
    package static let maximumFruitlessCount = 5

    private var fruitlessCount = 0
    private var receivedByteCount: Int64?
    /// Whether the app has no other useful address: the server's response is the result.
    package private(set) var isExhausted = false

    /// Creates the count for a download whose address has not expired yet.
    package init() {}

    /// Handles a response that says that the address has expired.
    ///
    /// - Parameter receivedByteCount: How many bytes the download holds by now.
    /// - Returns: Whether to ask the app.
    package mutating func expired(receivedByteCount: Int64) -> Bool {
        if receivedByteCount != self.receivedByteCount { fruitlessCount = 0 }
        self.receivedByteCount = receivedByteCount
        if fruitlessCount >= Self.maximumFruitlessCount { isExhausted = true }
        return !isExhausted
    }

    /// The app has given another address, as it was asked to.
    package mutating func replaced() { fruitlessCount += 1 }

    /// The app has no other address.
    package mutating func decline() { isExhausted = true }

    /// Starts over, because the app has given another address without being asked.
    package mutating func renew() { self = LinkQuestions() }
}
