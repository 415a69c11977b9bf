import Dispatch
import FerrySystem
import Foundation
public import FoundationNetworking

extension HTTPCookieStorage {
    /// Stores cookies for a task, as far as the storage's own policy accepts them for its URL.
    ///
    /// - Parameters:
    ///   - cookies: The cookies.
    ///   - task: The task; those of one without a request are not stored.
    public func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
        guard let url = task.currentRequest?.url else { return }
        setCookies(cookies, for: url, mainDocumentURL: task.originalRequest?.mainDocumentURL)
    }

    /// Looks up the cookies that go with a task's request, by their domains, paths and `Secure`.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - completionHandler: Called on another thread, with the cookies, or nil for a task without a request.
    public func getCookiesFor(
        _ task: URLSessionTask,
        completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void
    ) {
        // Looked up after the changes that sessions have queued; the handler is the app's, and may take long.
        CookieStore.queue.perform { [self] in
            let origin = task.currentRequest?.url.flatMap { CookieOrigin($0) }
            let found = origin.map { CookieStore.cookies(of: cookies ?? [], for: $0, at: Date()) }
            DispatchQueue.global().async { completionHandler(found) }
        }
    }
}
