extension HTTPExchange.StateMachine {
    /// What the caller must do, in the order given.
    enum Effect: Equatable {
        case armIdleTimer(after: Duration)
        case cancelIdleTimer
        /// Make libcurl deliver what it was told to hold.
        case release
        /// Send the request again, on a new connection; if its body cannot be sent again, fail with this error, or else
        /// with the reason for that.
        case startAgain(orFail: HTTPError?)
        case armConnectTimer(after: Duration)
        case cancelConnectTimer
        /// Remove the exchange from libcurl.
        case withdraw
        case finish(HTTPError?)
    }

    /// The immediate reaction to a line of the header or a piece of the body.
    enum Reception: Equatable {
        /// Continue.
        case skip
        /// Deliver an interim response's head.
        case deliverInformational(HTTPResponseHead)
        /// Deliver the head, and pass the handler's answer to ``answered(_:)``.
        case deliverHead(HTTPResponseHead)
        /// Deliver the bytes, and pass the handler's answer to ``answered(_:)``.
        case deliverBytes
        /// Decode a little of the bytes, and tell ``decoded(_:delivered:)``.
        case decode
        /// Tell libcurl to keep the bytes.
        case hold
        /// Tell libcurl to keep the bytes, and release them after other exchanges have had their turn.
        case holdForATurn
        /// Tell libcurl to fail.
        case stop
    }
}
