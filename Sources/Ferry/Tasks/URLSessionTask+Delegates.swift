import Foundation
import Synchronization

/// The delegates of a task: its own; and the session's, for each method that the task's own does not implement.
extension URLSessionTask {
    /// Calls a delegate; on the delegate queue.
    ///
    /// - Parameters:
    ///   - method: The method that is called.
    ///   - call: Calls it.
    func tell<Delegate>(_ method: DelegateForms.Method, _ call: (Delegate) -> Void) {
        if let own = storage.withLock({ $0.delegate }), let delegate = own as? Delegate,
            !DelegateForms.isDefault(method, of: own)
        {
            call(delegate)
            // The default has only recorded that it was called.
            guard DelegateForms.isDefault(method, of: own) else { return }
        }
        if let delegate = core.delegate as? Delegate { call(delegate) }
    }

    /// Whether there is a delegate that may implement a method.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - type: The protocol that it belongs to.
    /// - Returns: Whether one may.
    func isHeard<Delegate>(_ method: DelegateForms.Method, by type: Delegate.Type) -> Bool {
        if let own = storage.withLock({ $0.delegate }), own is Delegate,
            !DelegateForms.isDefault(method, of: own)
        {
            return true
        }
        guard let common = core.delegate, common is Delegate else { return false }
        return !DelegateForms.isDefault(method, of: common)
    }

    /// Whether there is a delegate that may implement a method of `URLSessionTaskDelegate`.
    func isHeard(_ method: DelegateForms.Method) -> Bool {
        isHeard(method, by: (any URLSessionTaskDelegate).self)
    }
}
