import FerrySystem
import Foundation
import FoundationNetworking

/// A provider of the machine's conditions: the process's monitor, or one of a test.
@LoopActor
protocol ConditionsProvider: AnyObject, Sendable {
    /// What is known of the conditions that are observed by anyone; nil without observers, and until it is known.
    var conditions: Conditions? { get }

    /// Calls `handler` whenever the conditions of some kinds have changed, until the observation is cancelled.
    func watch(
        _ kinds: Conditions,
        _ handler: @escaping @LoopActor () -> Void
    ) -> any ObservedConditions
}

/// An observation of the machine's conditions.
@LoopActor
protocol ObservedConditions: AnyObject {
    /// Those of the observed kinds that hold; nil while that is not known.
    var conditions: Conditions? { get }
    /// Ends the observation.
    func cancel()
}

extension ConditionsMonitor: ConditionsProvider {
    func watch(
        _ kinds: Conditions,
        _ handler: @escaping @LoopActor () -> Void
    ) -> any ObservedConditions {
        observe(kinds) { _ in handler() }
    }
}

extension ConditionsObservation: ObservedConditions {}

extension Conditions {
    /// The conditions of the network in which a task does not load.
    ///
    /// A request may forbid what the configuration allows, and not the other way round.
    ///
    /// - Parameters:
    ///   - request: The request as the app has made it.
    ///   - configuration: The session's configuration.
    init(avoidedBy request: URLRequest?, in configuration: borrowing URLSessionConfiguration.Values)
    {
        self = []
        if let request { self = Conditions(avoidedBy: request) }
        if !configuration.allowsExpensiveNetworkAccess { insert(.expensiveNetwork) }
        if !configuration.allowsConstrainedNetworkAccess { insert(.constrainedNetwork) }
        if !configuration.allowsCellularAccess { insert(.cellularNetwork) }
    }

    /// The conditions of the network in which a request is not made.
    init(avoidedBy request: URLRequest) {
        self = []
        if !request.allowsExpensiveNetworkAccess { insert(.expensiveNetwork) }
        if !request.allowsConstrainedNetworkAccess { insert(.constrainedNetwork) }
        if !request.allowsCellularAccess { insert(.cellularNetwork) }
    }
}
