/// How many bytes of a request's body libcurl gets at once.
///
/// A few long pieces cost less than many short ones. But that libcurl asks for the next piece is all that shows that a
/// slow connection still takes bytes, so only a fast one gets long pieces.
struct BodyPieceSize {
    /// The default of libcurl.
    static let least = 64 << 10
    static let most = 256 << 10
    /// The time in which a fast connection takes a piece.
    static let fast = Duration.milliseconds(50)

    private var byteCount = least
    private var latest: ContinuousClock.Instant?

    /// Chooses the size of the next piece.
    ///
    /// - Parameter now: The time at which the connection has taken the piece before, if there is one.
    /// - Returns: The number of bytes.
    mutating func next(at now: ContinuousClock.Instant) -> Int {
        if let latest {
            let isFast = now - latest < Self.fast
            byteCount = isFast ? min(byteCount * 2, Self.most) : max(byteCount / 2, Self.least)
        }
        latest = now
        return byteCount
    }
}
