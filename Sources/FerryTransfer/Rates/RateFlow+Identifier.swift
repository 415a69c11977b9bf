extension RateFlow {
    /// What tells flows apart that share limits.
    struct Identifier: Hashable, Comparable {
        /// The transfer, whose connections have one share together.
        var transfer: UInt64
        /// The flow.
        var number: UInt64

        static func < (one: Identifier, other: Identifier) -> Bool {
            (one.transfer, one.number) < (other.transfer, other.number)
        }
    }
}
