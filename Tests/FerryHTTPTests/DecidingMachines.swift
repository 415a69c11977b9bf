import FerryTestSupport

@testable import FerryHTTP

extension HTTPExchange.StateMachine: DecidingMachine {}
