import FoundationEssentials

/// A reply, as it comes over the wire.
struct IncomingReply<Value: Decodable & Sendable>: Decodable, Sendable {
    /// What the method answers, or why it does not.
    let result: Result<Value, CallError>
    /// Whether more replies to the same call follow.
    let continues: Bool

    private enum CodingKeys: CodingKey {
        case error
        case parameters
        case continues
    }

    /// A reply that was read otherwise.
    init(result: Result<Value, CallError>, continues: Bool) {
        self.result = result
        self.continues = continues
    }

    /// Reads a reply; one with an error is never followed by others.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if try container.decodeIfPresent(String.self, forKey: .error) != nil {
            result = .failure(CallError(try ErrorMessage(from: decoder)))
            continues = false
            return
        }
        continues = try container.decodeIfPresent(Bool.self, forKey: .continues) ?? false
        result = .success(try container.decodeParameters(forKey: .parameters))
    }
}
