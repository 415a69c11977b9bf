package import FerryTransfer
package import FerryWire

/// A failed attempt as the store keeps it.
package struct AttemptFailure: JSONCodable {
    /// The failure's class.
    package let code: String
    /// A description of the failure, for people.
    package let message: String
    /// The number of consecutive times that the server has reported that it is unavailable.
    package private(set) var unavailableCount = 0
    /// The maximum number of body bytes in this attempt and earlier ones: received here, or held by the server of an
    /// upload.
    package var mostByteCount: Int64?

    /// Creates the record of a failure that no other follows.
    package init(_ failure: Wire.Failure) {
        code = failure.code
        message = failure.message
    }

    /// The failure's class; `nil` if this version does not know it.
    package var errorCode: TransferError.Code? { failure.errorCode }

    /// What a client sees of it.
    package var failure: Wire.Failure { Wire.Failure(code: code, message: message) }

    /// Creates the record of a failure, given the one before it.
    package init(
        _ error: TransferError,
        after earlier: AttemptFailure?,
        mostByteCount: Int64? = nil
    ) {
        code = error.code.rawValue
        message = error.message
        self.mostByteCount = mostByteCount ?? earlier?.mostByteCount
        guard error.code == .serverUnavailable else { return }
        // A stored number may have any value.
        unavailableCount = min(max(0, earlier?.unavailableCount ?? 0), .max - 1) + 1
    }

    /// Writes the members.
    package func write(to output: inout JSONOutput) {
        output.object { output in
            output.member("code", code)
            output.member("message", message)
            output.member("unavailableCount", unavailableCount)
            output.member("mostByteCount", mostByteCount)
        }
    }

    /// Reads the members.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        var code: String?
        var message: String?
        var unavailableCount: Int?
        var mostByteCount: Int64?
        try input.object { (input, member) throws(JSONInput.Problem) in
            switch member {
            case "code": code = try input.value()
            case "message": message = try input.value()
            case "unavailableCount": unavailableCount = try input.value()
            case "mostByteCount": mostByteCount = try input.value()
            default: try input.skip()
            }
        }
        self.code = try input.required(code, "code")
        self.message = try input.required(message, "message")
        self.unavailableCount = unavailableCount ?? 0
        self.mostByteCount = mostByteCount
    }
}
