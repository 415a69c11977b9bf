/// How many bytes of a request's body libcurl gets at once.
///
/// A few long pieces cost less than many short ones. But libcurl asks for the next piece when it has sent the one before,
/// and that is what tells a slow connection from one that takes nothing: so only a fast connection gets long pieces.
struct BodyPieceSize {
    /// The default of libcurl.
    static let least = 64 << 10
    static let most = 256 << 10
    /// The time in which a fast connection takes a piece.
    static let fast = Duration.milliseconds(50)

    /// The number of bytes in the next piece.
    private(set) var byteCount = least
    private var given: ContinuousClock.Instant?

    /// Notes that libcurl asks for a piece: it has sent the one that it was given before.
    mutating func asked(at now: ContinuousClock.Instant) {
        guard let given else { return }
        self.given = nil
        let isFast = now - given < Self.fast
        byteCount = isFast ? min(byteCount * 2, Self.most) : max(byteCount / 2, Self.least)
    }

    /// Notes that libcurl was given a piece of the size.
    mutating func gave(at now: ContinuousClock.Instant) { given = now }
}
