import FerrySystem
import Foundation

/// A gate that holds a transfer back while the machine is offline, if the session wants that, and lets it load in no
/// network whose conditions it avoids.
///
/// Transfers from this machine itself need no network, and pass at any time.
@LoopActor
final class ConnectivityGate {
    /// The transfer behind the gate.
    weak var transfer: (any GatedTransfer)?
    private let isClosable: Bool
    private let avoids: Conditions
    private let monitor: ConnectivityMonitor
    private let conditions: any ConditionsProvider
    /// Called once, when the transfer is first held back.
    private let onWait: @LoopActor () -> Void
    private var machine: StateMachine
    private var connectivityObservation: ConnectivityObservation?
    private var conditionsObservation: (any ObservedConditions)?
    private var continuation: (@LoopActor () -> Void)?

    /// Makes a gate.
    ///
    /// - Parameters:
    ///   - host: The host of the transfer's first request.
    ///   - waits: Whether the transfer waits for a network in place of failing.
    ///   - avoids: The conditions of the network in which the transfer does not load.
    ///   - monitor: The source of the connectivity.
    ///   - conditions: The source of the conditions.
    ///   - onWait: Called once, when the transfer has to wait.
    init(
        host: @autoclosure () -> String,
        waits: Bool,
        avoids: Conditions,
        monitor: ConnectivityMonitor = .shared,
        conditions: any ConditionsProvider,
        onWait: @escaping @LoopActor () -> Void
    ) {
        isClosable = (waits || !avoids.isEmpty) && !Self.isLocal(host())
        self.avoids = avoids
        self.monitor = monitor
        self.conditions = conditions
        self.onWait = onWait
        machine = StateMachine(waits: waits)
    }

    /// Calls `go` as soon as the transfer may load, at once if it may.
    ///
    /// If it has to wait for other conditions, or must not load at all, the transfer is told instead.
    func pass(_ go: @escaping @LoopActor () -> Void) {
        guard isClosable else { return go() }
        continuation = go
        machine.came()
        observe()
        run { $0.found(network) }
    }

    /// Calls `go` when the network has changed, after an attempt that found none.
    ///
    /// - Returns: Whether the transfer waits; false where none does.
    func passAfterChange(_ go: @escaping @LoopActor () -> Void) -> Bool {
        guard isClosable, machine.waits else { return false }
        machine.attemptFailed()
        observe()
        // If the kernel reports no state, it reports no changes either.
        guard monitor.connectivity != .unknown else {
            cancel()
            return false
        }
        continuation = go
        run { $0.awaitsChange() }
        return true
    }

    /// Drops the waiting continuation, and lets the transfer be.
    func cancel() {
        continuation = nil
        machine.left()
        observe()
    }

    /// Takes an input, and performs what follows.
    private func run(_ input: (inout StateMachine) -> Void) {
        input(&machine)
        // First: the transfer may come here again meanwhile.
        observe()
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() { perform(effect) }
    }

    private func perform(_ effect: StateMachine.Effect) {
        switch effect {
        case .open: open()
        case .notifyWaiting: onWait()
        case .holdBack:
            continuation = nil
            transfer?.heldBack()
        case .callBack: transfer?.calledBack()
        case .refuse(let met):
            continuation = nil
            transfer?.networkIsForbidden(met)
        }
    }

    private func open() {
        let continuation = continuation
        self.continuation = nil
        continuation?()
    }

    // MARK: - The network

    private var network: StateMachine.Network {
        StateMachine.Network(
            allowsAttempts: connectivityObservation == nil || monitor.connectivity.allowsAttempts,
            avoided: avoids.isEmpty
                ? [] : conditionsObservation?.conditions.map { $0.intersection(avoids) }
        )
    }

    /// Observes what the transfer needs to know of the network, and nothing else.
    private func observe() {
        if !machine.needsConnectivity {
            connectivityObservation?.cancel()
            connectivityObservation = nil
        } else if connectivityObservation == nil {
            connectivityObservation = monitor.observe { [weak self] _ in
                guard let self else { return }
                run { $0.connectivityChanged(network) }
            }
        }
        if !machine.needsConditions || avoids.isEmpty {
            conditionsObservation?.cancel()
            conditionsObservation = nil
        } else if conditionsObservation == nil {
            conditionsObservation = conditions.watch(avoids) { [weak self] in
                self?.conditionsChanged()
            }
        }
    }

    private func conditionsChanged() {
        let canBeInterrupted = transfer?.canBeInterrupted ?? false
        run { $0.conditionsChanged(network, canBeInterrupted: canBeInterrupted) }
    }

    private static func isLocal(_ host: String) -> Bool {
        let name = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        return name == "localhost" || name.hasSuffix(".localhost") || name == "::1"
            || name.hasPrefix("127.") && name.allSatisfy { $0.isNumber || $0 == "." }
    }
}

/// A transfer that comes to a ``ConnectivityGate`` before it loads.
@LoopActor
protocol GatedTransfer: AnyObject {
    /// Whether a load that has begun can be stopped, and continued or made again later.
    var canBeInterrupted: Bool { get }
    /// The network is one that the transfer avoids: it stops until ``calledBack()``.
    func heldBack()
    /// The network is no longer one that the transfer avoids: it comes to the gate again.
    func calledBack()
    /// The network is one that the transfer avoids, and it cannot wait for another one: it fails.
    func networkIsForbidden(_ met: Conditions)
}
