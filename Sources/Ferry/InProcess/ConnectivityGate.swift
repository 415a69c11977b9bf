import FerrySystem
import Foundation

/// A gate that holds a transfer back while the machine is offline, if the session wants that.
///
/// Transfers from this machine itself need no network and are never held back.
@LoopActor
final class ConnectivityGate {
    private let isClosable: Bool
    private let monitor: ConnectivityMonitor
    /// Called once, when the transfer is first held back.
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
    /// - Returns: Whether `go` will be called; false where nothing is ever held back.
    func passAfterChange(_ go: @escaping @LoopActor () -> Void) -> Bool {
        guard isClosable else { return false }
        let observation = monitor.observe { [weak self] connectivity in
            if connectivity.allowsAttempts { self?.open() }
        }
        // If the kernel reports no state, it reports no changes either.
        guard monitor.connectivity != .unknown else {
            observation.cancel()
            return false
        }
        self.observation = observation
        wait(for: go)
        return true
    }

    /// Drops the waiting continuation.
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
