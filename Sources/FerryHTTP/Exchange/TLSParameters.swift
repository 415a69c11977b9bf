/// What both ends of a connection have agreed on for TLS, in the numbers of the protocol.
package struct TLSParameters: Hashable, Sendable {
    /// The version, such as 0x0304 for TLS 1.3.
    package var version: UInt16
    /// The cipher suite, by its number in IANA's registry.
    package var cipherSuite: UInt16

    /// Puts together both numbers.
    package init(version: UInt16, cipherSuite: UInt16) {
        self.version = version
        self.cipherSuite = cipherSuite
    }
}
