/// One reply of a stream.
package enum StreamReply<Value: Sendable>: Sendable {
    /// A reply after which others follow.
    case next(Value)
    /// The last reply.
    case last(Value)
    /// Why the stream ends; nothing follows.
    case failure(CallError)
}

extension StreamReply: Equatable where Value: Equatable {}
