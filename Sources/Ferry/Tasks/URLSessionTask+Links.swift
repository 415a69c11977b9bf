import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

extension URLSessionTask {
    /// Asks the delegate for another request, as a server's answer says that the task's address has expired.
    ///
    /// - Parameters:
    ///   - head: The answer.
    ///   - configuration: That of the session.
    ///   - answer: Called once, with what is to be sent in place of the task's request; nil for nothing.
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

    /// What the app wants to be sent, checked; nil, and a message, for what cannot be.
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
