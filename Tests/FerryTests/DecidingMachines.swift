import FerryTestSupport

@testable import Ferry

extension InProcessTransfer.StateMachine: DecidingMachine {}
extension ConnectivityGate.StateMachine: DecidingMachine {}
extension BackgroundTasks.StateMachine: DecidingMachine {}
extension ProcessConnection.StateMachine: DecidingMachine {}
extension BackgroundConnection.StateMachine: DecidingMachine {}
