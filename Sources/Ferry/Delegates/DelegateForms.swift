import Foundation
import Synchronization

/// Which delegate methods the types of delegates leave to their defaults.
///
/// A method with a completion handler exists in two forms, of which an app implements one, or none. The
/// default of the one with the handler awaits the other, whose default makes a note here: from then on that
/// detour, which starts a Swift task, is left out for that type.
enum DelegateForms {
    /// A method that has two forms.
    enum Method: Hashable, Sendable {
        case sessionChallenge
        case taskChallenge
        case redirection
        case delayedRequest
        case newBodyStream
        case newBodyStreamFrom
        case response
        case cachedResponse
        /// Has one form, of which it is good to know whether it is called in vain.
        case metrics
    }

    private struct Key: Hashable {
        var type: ObjectIdentifier
        var method: Method
    }

    private static let defaults = Mutex<Set<Key>>([])

    /// Takes note that a type implements neither form.
    static func noteDefault(_ method: Method, of delegate: any URLSessionDelegate) {
        let key = key(method, delegate)
        defaults.withLock { _ = $0.insert(key) }
    }

    /// Whether a type is known to implement neither form.
    static func isDefault(_ method: Method, of delegate: any URLSessionDelegate) -> Bool {
        let key = key(method, delegate)
        return defaults.withLock { $0.contains(key) }
    }

    /// Whether a session's delegate may be asked by a method, as far as its type is known.
    static func mayAnswer(_ method: Method, _ delegate: (any URLSessionDelegate)?) -> Bool {
        guard let delegate else { return false }
        return (delegate is any URLSessionTaskDelegate || method == .sessionChallenge)
            && !isDefault(method, of: delegate)
    }

    private static func key(_ method: Method, _ delegate: any URLSessionDelegate) -> Key {
        Key(type: ObjectIdentifier(type(of: delegate)), method: method)
    }

    /// Answers a handler of a delegate that does not implement the form with the handler.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - delegate: The delegate.
    ///   - handler: What to answer.
    ///   - other: The form without handler.
    ///   - pass: What it does by default, by way of a handler.
    static func answer<Value>(
        _ method: Method,
        of delegate: any URLSessionDelegate,
        to handler: @escaping @Sendable (Value) -> Void,
        by other: @escaping @Sendable () async -> Value,
        orBy pass: (@escaping @Sendable (Value) -> Void) -> Void
    ) {
        guard !isDefault(method, of: delegate) else { return pass(handler) }
        Task { handler(await other()) }
    }
}
