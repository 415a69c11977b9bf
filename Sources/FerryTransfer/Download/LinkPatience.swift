/// Whether an app is asked for another address once more when the one of its download has expired.
///
/// A server that refuses every address, or an app that gives the same one each time, would otherwise be asked
/// as fast as both can answer.
package struct LinkPatience: Hashable, Sendable {
    /// How many addresses in a row may bring nothing.
    package static let maximumFruitlessCount = 5

    private var fruitlessCount = 0
    private var receivedByteCount: Int64?
    /// Whether the app has no other address, or none that is of use: the server's answer is the result.
    package private(set) var isExhausted = false

    /// The patience of a download that has not met such an answer yet.
    package init() {}

    /// The server says that the address is none.
    ///
    /// - Parameter receivedByteCount: How many bytes the download holds by now.
    /// - Returns: Whether the app is to be asked.
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

    /// Somebody has given another address who was not asked for one.
    package mutating func renew() { self = LinkPatience() }
}
