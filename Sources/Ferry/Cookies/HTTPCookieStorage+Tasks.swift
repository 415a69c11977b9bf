import FerrySystem
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

    /// Looks up the cookies for a task's URL.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - completionHandler: Called on another thread, with the cookies, or nil for a task without a request.
    public func getCookiesFor(
        _ task: URLSessionTask,
        completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void
    ) {
        // Looked up behind what sessions have stored.
        CookieStore.queue.perform { [self] in
            completionHandler(task.currentRequest?.url.map { cookies(for: $0) ?? [] })
        }
    }
}
