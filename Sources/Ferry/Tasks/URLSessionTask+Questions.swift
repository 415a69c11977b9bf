import FerrySystem
import Foundation
import Synchronization

extension URLSessionTask {
    /// Calls a delegate's method, and passes on the value with which the app calls its handler.
    typealias Question<Delegate, Value> =
        @Sendable (URLSession, Delegate, @escaping @Sendable (Value) -> Void) -> Void

    /// Asks a delegate on the delegate queue, after all earlier messages.
    ///
    /// - Parameters:
    ///   - method: The method that is called.
    ///   - question: Calls it.
    ///   - nobody: The answer if there is no delegate to ask.
    ///   - answer: Called once, with the first answer.
    @LoopActor
    func ask<Delegate, Value: Sendable>(
        _ method: DelegateForms.Method,
        _ question: @escaping Question<Delegate, Value>,
        orElse nobody: Value,
        then answer: @escaping @LoopActor (Value) -> Void
    ) {
        guard hasHandler(method, by: Delegate.self) else { return answer(nobody) }
        let answer = Answer(answer)
        deliver(
            .call { [self] session in
                ask(method, of: session, question, orElse: nobody) { value in
                    LoopActor.perform { answer(value) }
                }
            }
        )
    }

    /// Asks the task's own delegate, or else the session's; on the delegate queue.
    private func ask<Delegate, Value: Sendable>(
        _ method: DelegateForms.Method,
        of session: URLSession,
        _ question: @escaping Question<Delegate, Value>,
        orElse nobody: Value,
        then answer: @escaping @Sendable (Value) -> Void
    ) {
        let askCommon: @Sendable () -> Void = { [core] in
            guard let delegate = core.delegate as? Delegate else { return answer(nobody) }
            question(session, delegate, answer)
        }
        guard let own = storage.withLock({ $0.delegate }), let delegate = own as? Delegate,
            !DelegateForms.isDefault(method, of: own)
        else { return askCommon() }
        question(session, delegate) { [core] value in
            guard DelegateForms.isDefault(method, of: own) else { return answer(value) }
            // The default may have answered on any thread.
            core.delegateCalls.perform { askCommon() }
        }
    }
}
