/// Where a ``FixtureServer`` stops to read a request's body, until its gate is opened.
package struct FixtureHold: Sendable {
    /// How many bytes of the body it reads first.
    package var byteCount: Int
    /// What lets it read on.
    package var gate: FixtureGate

    /// Makes a hold; without a gate it lasts as long as the connection.
    package init(after byteCount: Int, at gate: FixtureGate = FixtureGate()) {
        self.byteCount = byteCount
        self.gate = gate
    }
}
