import FerryTestSupport

@testable import FerrySystem

extension ConnectivityMonitor.StateMachine: DecidingMachine {}
extension ConditionsMonitor.StateMachine: DecidingMachine {}
