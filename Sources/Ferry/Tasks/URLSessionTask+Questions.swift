import FerrySystem
import Foundation

extension URLSessionTask {
    /// Asks on the delegate queue, after all that the delegate was to be told before.
    ///
    /// - Parameters:
    ///   - question: Asks the delegate.
    ///   - wasTold: Called when the delegate has been asked, or nobody is.
    ///   - nobody: Called instead where there is no delegate.
    func ask(
        _ question: @escaping @Sendable (URLSession, any URLSessionTaskDelegate) -> Void,
        wasTold: (@Sendable () -> Void)? = nil,
        orElse nobody: @escaping @LoopActor @Sendable () -> Void
    ) {
        deliver(
            .call { [self] session in
                guard let delegate = taskDelegate(in: session) else {
                    return LoopActor.perform { nobody() }
                }
                question(session, delegate)
            },
            wasTold: wasTold
        )
    }
}
