import FerryTestSupport

@testable import FerryTransfer

extension Download.StateMachine: DecidingMachine {}
extension Load.StateMachine: DecidingMachine {}
extension ResumableUpload.StateMachine: DecidingMachine {}
extension Upload.StateMachine: DecidingMachine {}
extension RateLimit.StateMachine: DecidingMachine {}
