/// A reply that is no error, as it goes over the wire.
struct ReplyMessage<Parameters: Encodable & Sendable>: Encodable, Sendable {
    /// What the method answers.
    var parameters: Parameters
    /// Whether more replies to the same call follow.
    var continues: Bool?
}
