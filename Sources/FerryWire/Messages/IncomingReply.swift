import FoundationEssentials

/// A reply, as it is received over the wire.
struct IncomingReply<Value: JSONCodable>: Sendable {
    /// The method's reply, or the reason why there is none.
    let result: Result<Value, CallError>
    /// Whether more replies to the same call follow; none does after an error.
    let continues: Bool

    /// Reads a reply.
    init(from text: Data) throws(MessageError) {
        self = try MessageCoding.read(text) { (input) throws(JSONInput.Problem) in
            try IncomingReply(from: &input)
        }
    }

    private init(from input: inout JSONInput) throws(JSONInput.Problem) {
        var error: String?
        var value: Result<Value, JSONInput.Problem>?
        /// The position of the parameters: those of an error are read when its name is known.
        var parameters: JSONInput?
        var continues: Bool?
        try input.object { (input, member) throws(JSONInput.Problem) in
            switch member {
            case "error": error = try input.value()
            case "parameters" where !input.isNull:
                parameters = input
                value = try input.attempt { (input) throws(JSONInput.Problem) in
                    try Value(from: &input)
                }
            case "continues": continues = try input.value()
            default: try input.skip()
            }
        }
        if let error {
            result = .failure(CallError(ErrorMessage(named: error, parameters)))
            self.continues = false
            return
        }
        self.continues = continues ?? false
        if let value {
            result = .success(try value.get())
        } else {
            var none = JSONInput.emptyObject
            result = .success(try Value(from: &none))
        }
    }
}
