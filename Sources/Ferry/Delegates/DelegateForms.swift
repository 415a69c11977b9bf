import Foundation
import Synchronization

/// A record of the delegate methods that each delegate type leaves to their defaults.
///
/// Swift cannot tell whether a type implements a method that has a default. So each default records here that it was
/// called, and does nothing else. The caller of the method then checks the record, and asks the next delegate if there
/// is an entry. A default never calls another delegate itself, so that delegates may forward to each other.
///
/// A method with a completion handler exists in two forms; an app implements one, or none. The default of each form
/// calls the other. If both are left to their defaults, that is recorded, and the detour is skipped from then on.
enum DelegateForms {
    /// A method that has a default.
    enum Method: UInt32, CaseIterable, Sendable {
        case sessionChallenge
        case taskChallenge
        case redirection
        case delayedRequest
        case newRequest
        case newBodyStream
        case newBodyStreamFrom
        case response
        case cachedResponse
        case created
        case waiting
        case sent
        case informational
        case metrics
        case completed
        case becameDownload
        case data
        case resumed
        case wrote
        case opened
        case closed
        /// Has no default.
        case finished

        fileprivate var bit: UInt32 { 1 << rawValue }
    }

    /// A call of one form by the default of the other.
    private struct Detour: Equatable {
        var delegate: ObjectIdentifier
        var method: Method
    }

    /// The methods that each type leaves to their defaults.
    private static let defaults = Mutex<[ObjectIdentifier: UInt32]>([:])

    /// The detour while the default of the form without a handler calls the form with one.
    @TaskLocal private static var detour: Detour?

    /// Records that a type does not implement a method in any form.
    static func recordDefault(_ method: Method, of delegate: any URLSessionDelegate) {
        let type = ObjectIdentifier(type(of: delegate))
        defaults.withLock { $0[type, default: 0] |= method.bit }
    }

    /// Whether a type is known not to implement a method in any form.
    static func isDefault(_ method: Method, of delegate: any URLSessionDelegate) -> Bool {
        let type = ObjectIdentifier(type(of: delegate))
        return defaults.withLock { ($0[type] ?? 0) & method.bit != 0 }
    }

    /// Whether a session's delegate may implement a method, as far as its type is known.
    static func mayAnswer(_ method: Method, _ delegate: (any URLSessionDelegate)?) -> Bool {
        guard let delegate else { return false }
        return (delegate is any URLSessionTaskDelegate || method == .sessionChallenge)
            && !isDefault(method, of: delegate)
    }

    // MARK: - The two forms of a method

    /// Provides the default of the form with a handler.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - delegate: The delegate, which does not implement this form.
    ///   - handler: Called with the answer.
    ///   - answer: The answer of a delegate that does not implement the other form either.
    ///   - other: The other form.
    static func answer<Value>(
        _ method: Method,
        of delegate: any URLSessionDelegate,
        to handler: @escaping @Sendable (Value) -> Void,
        byDefault answer: Value,
        by other: @escaping @Sendable () async -> sending Value
    ) {
        let isCalledByOther =
            detour == Detour(delegate: ObjectIdentifier(delegate), method: method)
        if isCalledByOther { recordDefault(method, of: delegate) }
        guard !isCalledByOther, !isDefault(method, of: delegate) else { return handler(answer) }
        Task { handler(await other()) }
    }

    /// Provides the default of the form without a handler.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - delegate: The delegate, which does not implement this form.
    ///   - other: The other form.
    /// - Returns: The first answer of the other form.
    static func ask<Value>(
        _ method: Method,
        of delegate: any URLSessionDelegate,
        by other: (@escaping @Sendable (Value) -> Void) -> Void
    ) async -> sending Value {
        await withCheckedContinuation { (continuation: CheckedContinuation<Value, Never>) in
            let waiting = Mutex<CheckedContinuation<Value, Never>?>(continuation)
            $detour.withValue(Detour(delegate: ObjectIdentifier(delegate), method: method)) {
                other { value in
                    // Apple's handlers do not declare it, but an app no longer uses a value that it has answered with.
                    nonisolated(unsafe) let value = value
                    waiting.withLock { waiting in
                        waiting?.resume(returning: value)
                        waiting = nil
                    }
                }
            }
        }
    }
}
