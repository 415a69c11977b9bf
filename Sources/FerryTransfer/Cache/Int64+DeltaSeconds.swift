extension Int64 {
    /// A number of seconds as caches write it (`delta-seconds`, RFC 9111 §1.2.2).
    ///
    /// What is greater than 2³¹, by however many digits, counts as 2³¹. `nil` for anything that is
    /// not only digits.
    init?(deltaSeconds text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self = Swift.min(Int64(text) ?? Self.greatestDeltaSeconds, Self.greatestDeltaSeconds)
    }

    private static let greatestDeltaSeconds: Int64 = 1 << 31
}
