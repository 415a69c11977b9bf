/// A call, as it goes over the wire.
struct CallMessage<Parameters: Encodable & Sendable>: Encodable, Sendable {
    /// The method's name after its interface's.
    var method: String
    /// The method's parameters.
    var parameters: Parameters
    /// Whether the answer may be a stream.
    var more: Bool?
    /// Whether no answer is wanted.
    var oneway: Bool?
}
