import FerrySystem
import FoundationEssentials

/// The handlers of the reply to a call that has been sent.
struct ExpectedReply: Sendable {
    /// Handles a message of the daemon and returns whether others follow for the same call.
    let receive: @LoopActor @Sendable (Data) throws(MessageError) -> Bool
    /// Handles that no reply will arrive.
    let fail: @LoopActor @Sendable (CallError) -> Void

    /// Expects the only reply to a call.
    init<Value: JSONCodable>(
        single handler: @escaping @LoopActor @Sendable (Result<Value, CallError>) -> Void
    ) {
        receive = { (message) throws(MessageError) in
            let reply = try IncomingReply<Value>(from: message)
            if reply.continues { throw .malformed("more than one reply to a call that wants one") }
            handler(reply.result)
            return false
        }
        fail = { handler(.failure($0)) }
    }

    /// Expects a stream of replies.
    init<Value: JSONCodable>(
        stream handler: @escaping @LoopActor @Sendable (StreamReply<Value>) -> Void
    ) {
        receive = { (message) throws(MessageError) in
            let reply = try IncomingReply<Value>(from: message)
            switch reply.result {
            case .success(let value): handler(reply.continues ? .next(value) : .last(value))
            case .failure(let error): handler(.failure(error))
            }
            return reply.continues
        }
        fail = { handler(.failure($0)) }
    }
}

/// One reply of a stream.
package enum StreamReply<Value: Sendable>: Sendable {
    /// A reply after which others follow.
    case next(Value)
    /// The last reply.
    case last(Value)
    /// The error that ends the stream; nothing follows.
    case failure(CallError)
}

extension StreamReply: Equatable where Value: Equatable {}
