extension Dictionary {
    /// Changes the value of a key in place, if there is one.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - change: What happens to the value.
    /// - Returns: What that returns; `nil` if there is no such key.
    mutating func update<Result>(
        _ key: Key,
        _ change: (inout Value) -> Result
    ) -> Result? {
        guard let index = index(forKey: key) else { return nil }
        return change(&values[index])
    }
}
