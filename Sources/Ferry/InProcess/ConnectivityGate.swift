import FerrySystem
import Foundation

/// Holds a transfer back while this machine is not connected, if the session wants that.
///
/// What is on this machine can be reached without any network, and is never held back.
@LoopActor
final class ConnectivityGate {
    private let isClosable: Bool
    private let monitor: ConnectivityMonitor
    /// Called once, when a transfer is held back first.
    private let onWait: @LoopActor () -> Void
    private var hasWaited = false
    private var observation: ConnectivityObservation?
    private var continuation: (@LoopActor () -> Void)?

    init(
        waits: Bool,
        host: @autoclosure () -> String,
        monitor: ConnectivityMonitor = .shared,
        onWait: @escaping @LoopActor () -> Void
    ) {
        isClosable = waits && !Self.isLocal(host())
        self.monitor = monitor
        self.onWait = onWait
    }

    /// Calls `go` as soon as the machine is connected, at once if it is.
    func pass(_ go: @escaping @LoopActor () -> Void) {
        guard isClosable else { return go() }
        let observation = monitor.observe { [weak self] connectivity in
            if connectivity.allowsAttempts { self?.open() }
        }
        guard !monitor.connectivity.allowsAttempts else {
            observation.cancel()
            return go()
        }
        self.observation = observation
        wait(for: go)
    }

    /// Calls `go` when the network has changed, after an attempt that found none.
    ///
    /// - Returns: Whether it is going to be called: not where nothing is ever held back.
    func passAfterChange(_ go: @escaping @LoopActor () -> Void) -> Bool {
        guard isClosable else { return false }
        let observation = monitor.observe { [weak self] connectivity in
            if connectivity.allowsAttempts { self?.open() }
        }
        // Where the kernel tells nothing, no change would ever be told either.
        guard monitor.connectivity != .unknown else {
            observation.cancel()
            return false
        }
        self.observation = observation
        wait(for: go)
        return true
    }

    /// Forgets who waits.
    func cancel() {
        observation?.cancel()
        observation = nil
        continuation = nil
    }

    private func wait(for go: @escaping @LoopActor () -> Void) {
        continuation = go
        guard !hasWaited else { return }
        hasWaited = true
        onWait()
    }

    private func open() {
        let continuation = continuation
        cancel()
        continuation?()
    }

    private static func isLocal(_ host: String) -> Bool {
        let name = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        return name == "localhost" || name.hasSuffix(".localhost") || name == "::1"
            || name.hasPrefix("127.") && name.allSatisfy { $0.isNumber || $0 == "." }
    }
}
