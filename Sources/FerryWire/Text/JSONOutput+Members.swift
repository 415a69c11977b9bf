extension JSONOutput {
    /// Writes a member that is an integer, unless it is not there.
    mutating func integer(_ name: StaticString, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        self.name(name)
        integer(value)
    }

    /// Writes a member that is a number, unless it is not there.
    mutating func number(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        self.name(name)
        number(value)
    }

    /// Writes a member that is a string, unless it is not there.
    mutating func string(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.name(name)
        string(value)
    }
}
