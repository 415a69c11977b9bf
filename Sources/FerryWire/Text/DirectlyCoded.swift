/// What is sent and received so often that it has its own way to JSON and back.
///
/// Both are the same as by its conformance to `Codable`, which stays the definition.
protocol DirectlyCoded: Codable {
    /// Writes the value.
    func write(to output: inout JSONOutput)
    /// Reads a value, unless there is anything unusual about it.
    init(from input: inout JSONInput) throws(JSONInput.Unusual)
}

extension JSONInput {
    /// Notes a member's value; one that is there twice is unusual.
    func once<Value>(
        _ member: inout Value?,
        _ value: Value
    ) throws(Unusual) {
        guard member == nil else { throw Unusual() }
        member = value
    }

    /// A member that must be there; the decoder says what is missing.
    static func required<Value>(_ member: Value?) throws(Unusual) -> Value {
        guard let member else { throw Unusual() }
        return member
    }
}
