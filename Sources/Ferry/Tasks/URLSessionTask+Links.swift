import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

extension URLSessionTask {
    /// Asks the delegate for another request because a server's response says that the task's URL has expired.
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - configuration: The session's configuration.
    ///   - answer: Called once, with the request to send in place of the task's; nil for none.
    @LoopActor
    func askForLink(
        after head: HTTPResponseHead?,
        configuration: URLSessionConfiguration.Values,
        answer: @escaping @LoopActor (TransferRequest?) -> Void
    ) {
        var response = LatestResponse(head)
        guard let response = response.get() as? HTTPURLResponse else { return answer(nil) }
        let question: Question<any URLSessionTaskDelegate, TransferRequest?> = {
            session,
            delegate,
            answer in
            delegate.urlSession(session, task: self, needsNewRequestAfter: response) {
                answer(self.replacement($0, configuration))
            }
        }
        ask(.newRequest, question, orElse: nil, then: answer)
    }

    /// Returns the app's request, checked; nil, with a message on standard error, if it cannot be sent.
    private func replacement(
        _ request: URLRequest?,
        _ configuration: URLSessionConfiguration.Values
    ) -> TransferRequest? {
        guard let request else { return nil }
        do throws(URLError) {
            return try TransferRequest(
                request,
                configuration: configuration,
                madeFor: madeFor
            )
        } catch {
            Diagnostics.report(
                "The new request of task \(taskIdentifier) cannot be sent: "
                    + error.localizedDescription
            )
            return nil
        }
    }
}
