import FoundationEssentials

extension Wire.Request {
    /// The request's JSON text with its members in the order of their names; `nil` for a time-out
    /// that JSON has no number for.
    package var text: [UInt8]? {
        var output = JSONOutput()
        write(to: &output)
        return output.isValid ? output.bytes : nil
    }

    /// Reads a request's JSON text; `nil` for what only a decoder can read, or nobody.
    package init?(text: [UInt8]) {
        let request = JSONInput.read(Data(text)) { input throws(JSONInput.Unusual) in
            try Wire.Request(from: &input)
        }
        guard let request else { return nil }
        self = request
    }
}
