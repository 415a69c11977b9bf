extension Int64 {
    /// A number as HTTP writes it: digits only, without sign, space or separator (`1*DIGIT`).
    ///
    /// `nil` for anything else, and for what exceeds the type.
    init?(httpDigits text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self.init(text)
    }
}
