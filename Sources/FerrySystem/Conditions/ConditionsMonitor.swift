/// A monitor of the conditions that this machine is in, by what the services of the desktop tell on D-Bus.
///
/// Nothing is polled. Without observers there is no connection, and libsystemd is not loaded.
/// ``Conditions/outsideHours`` never comes from it.
@LoopActor
package final class ConditionsMonitor {
    /// The process's monitor.
    package static let shared = ConditionsMonitor()

    private var observers: [UInt64: @LoopActor (Conditions?) -> Void] = [:]
    private var nextKey: UInt64 = 0

    init() {}

    /// The conditions of the kinds that are observed.
    ///
    /// It is nil until each service that is needed has answered, is known to be absent, or has not answered
    /// within one second; and without observers.
    package private(set) var conditions: Conditions?

    /// What is known of each service that is being asked, in a constant order.
    package var services: [ConditionsService] { [] }

    /// Calls `handler` on the loop whenever the conditions of some kinds change, until the observation is
    /// cancelled.
    ///
    /// Only the services for the kinds of all observers are asked. The handler is not called for what is known
    /// when this returns: see ``ConditionsObservation/conditions``.
    ///
    /// - Parameters:
    ///   - kinds: The conditions that matter to this observer; it is told of no others.
    ///   - handler: Gets those of `kinds` that hold; nil while a service that is needed has yet to answer.
    package func observe(
        _ kinds: Conditions,
        _ handler: @escaping @LoopActor (Conditions?) -> Void
    ) -> ConditionsObservation {
        nextKey += 1
        observers[nextKey] = handler
        conditions = []
        return ConditionsObservation(key: nextKey, monitor: self)
    }

    func conditions(of key: UInt64) -> Conditions? { observers[key] == nil ? nil : conditions }

    func removeObserver(_ key: UInt64) {
        observers[key] = nil
        if observers.isEmpty { conditions = nil }
    }
}

/// An observation of the machine's conditions, which lasts until it is cancelled.
@LoopActor
package final class ConditionsObservation {
    private let key: UInt64
    private let monitor: ConditionsMonitor

    init(key: UInt64, monitor: ConditionsMonitor) {
        self.key = key
        self.monitor = monitor
    }

    /// Those of the observed kinds that hold; nil while a service that is needed has yet to answer, and after
    /// ``cancel()``.
    package var conditions: Conditions? { monitor.conditions(of: key) }

    /// Ends the observation; the handler is not called again and is released.
    package func cancel() { monitor.removeObserver(key) }
}

/// What is known of a service that tells of the machine's conditions.
package struct ConditionsService: Hashable, Sendable {
    /// Whether the service answers.
    package enum State: Hashable, Sendable {
        /// It has been asked, less than a second ago.
        case waiting
        /// It has answered.
        case answers
        /// It does not run, there is no bus, or it refuses to tell; it counts as none of its conditions.
        case absent
        /// It has not answered within a second; it counts as none of its conditions until it does.
        case silent
    }

    /// The name on the bus, such as `org.freedesktop.NetworkManager`.
    package let name: String
    /// Whether the service answers.
    package let state: State

    package init(name: String, state: State) {
        self.name = name
        self.state = state
    }
}
