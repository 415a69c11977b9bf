import FerryHTTP

extension Load.StateMachine {
    /// What the owner must do, in the order given.
    enum Effect: Equatable {
        /// Complete the request: cookies, the cache's conditions.
        case prepare(Request)
        /// Have the request's body at its start again.
        case needBody
        case send(Request)
        case cancelExchange
        /// Let the body of the response wait.
        case pause
        case takeBody
        case skipBody
        case askRedirect(HTTPResponseHead, TransferRequest)
        case ask(LoadChallenge)
        case reportResponse(HTTPResponseHead, TransferRequest)
        case finish(TransferError?)
    }
}
