/// Decides when a body waits for an app that is slower than the network.
struct DataFlow: Sendable {
    /// So much is kept for an app that does not take it before the server has to wait.
    static let greatestByteCount = 1 << 20

    private var byteCount = 0
    private var isHeldBack = false

    /// So much has come for the app.
    ///
    /// - Returns: Whether the body must wait from now on.
    mutating func add(_ count: Int) -> Bool {
        byteCount += count
        guard byteCount > Self.greatestByteCount, !isHeldBack else { return false }
        isHeldBack = true
        return true
    }

    /// The app has taken so much.
    ///
    /// - Returns: Whether the body, which has waited, may go on.
    mutating func take(_ count: Int) -> Bool {
        byteCount -= count
        guard isHeldBack, byteCount <= Self.greatestByteCount / 2 else { return false }
        isHeldBack = false
        return true
    }
}
