import FerryTestSupport

@testable import FerryTransfer

extension Load.StateMachine: DecidingMachine {}
extension Upload.StateMachine: DecidingMachine {}
extension RateLimit.StateMachine: DecidingMachine {}
