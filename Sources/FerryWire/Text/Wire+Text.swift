import FoundationEssentials

// What the daemon keeps in the store is the JSON text of these.

extension Wire.Request {
    /// The request's JSON text with its members in the order of their names; `nil` for a time-out
    /// that JSON has no number for.
    package var text: [UInt8]? { JSONOutput.text(of: self) }

    /// Reads a request's JSON text; `nil` for what only a decoder can read, or nobody.
    package init?(text: [UInt8]) { self.init(directText: text) }
}

extension Wire.Response {
    /// The response's JSON text.
    package var text: [UInt8]? { JSONOutput.text(of: self) }

    /// Reads a response's JSON text; `nil` for what only a decoder can read, or nobody.
    package init?(text: [UInt8]) { self.init(directText: text) }
}

extension Wire.Event {
    /// The event's JSON text; `nil` for one with a request that has none.
    package var text: [UInt8]? { JSONOutput.text(of: self) }

    /// Reads an event's JSON text; `nil` for what only a decoder can read, or nobody.
    package init?(text: [UInt8]) { self.init(directText: text) }
}

extension JSONOutput {
    fileprivate static func text(of value: some DirectlyCoded) -> [UInt8]? {
        var output = JSONOutput()
        value.write(to: &output)
        return output.isValid ? output.bytes : nil
    }
}

extension DirectlyCoded {
    fileprivate init?(directText text: [UInt8]) {
        let value = JSONInput.read(Data(text)) { input throws(JSONInput.Unusual) in
            try Self(from: &input)
        }
        guard let value else { return nil }
        self = value
    }
}
