/// Decides when a body waits for an app that is slower than the network.
struct DataFlow: Sendable {
    /// The number of bytes kept for an app that does not take them before the server has to wait.
    static let greatestByteCount = 1 << 20

    private var byteCount = 0
    private var isHeldBack = false

    /// Records bytes that have arrived for the app.
    ///
    /// - Returns: Whether the body must wait from now on.
    mutating func add(_ count: Int) -> Bool {
        byteCount += count
        guard byteCount > Self.greatestByteCount, !isHeldBack else { return false }
        isHeldBack = true
        return true
    }

    /// Records bytes that the app has taken.
    ///
    /// - Returns: Whether the waiting body may continue.
    mutating func take(_ count: Int) -> Bool {
        byteCount -= count
        guard isHeldBack, byteCount <= Self.greatestByteCount / 2 else { return false }
        isHeldBack = false
        return true
    }
}
