import FerrySystem
import Foundation

extension URLSessionTask {
    /// Asks on the delegate queue, after all that the delegate was to be told before.
    ///
    /// - Parameters:
    ///   - question: Asks the delegate.
    ///   - nobody: Called instead where there is no delegate.
    @LoopActor
    func ask(
        _ question: @escaping @Sendable (URLSession, any URLSessionTaskDelegate) -> Void,
        orElse nobody: @escaping @LoopActor () -> Void
    ) {
        guard hasTaskDelegate else { return nobody() }
        deliver(
            .call { [self] session in
                guard let delegate = taskDelegate(in: session) else {
                    return LoopActor.perform { nobody() }
                }
                question(session, delegate)
            }
        )
    }
}
