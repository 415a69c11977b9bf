package import FerryWire

extension Encoded: ExpressibleByArrayLiteral {
    /// Takes the bytes of a text, whatever they are: what is stored and passed on is not looked at.
    package init(arrayLiteral bytes: UInt8...) { self.init(text: bytes) }
}
