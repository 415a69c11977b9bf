import FerryTestSupport

@testable import FerryHTTP

extension HTTPExchange.StateMachine: DecidingMachine {}
extension WebSocketConnection.StateMachine: DecidingMachine {}
