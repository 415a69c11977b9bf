import Dispatch
import FerrySystem
import FerryTransfer
import Foundation
public import FoundationNetworking

extension HTTPCookieStorage {
    /// The maximum number of cookies of a domain, three times the minimum that RFC 6265 §6.1 requires.
    static let greatestCookieCount = 150

    /// Stores a cookie in place of an earlier one, or removes the earlier one: RFC 6265 §5.3, step 11.
    ///
    /// - Parameters:
    ///   - cookie: The cookie, which may have expired already.
    ///   - origin: The origin that has set it.
    ///   - now: The current time.
    func keep(_ cookie: HTTPCookie, from origin: CookieOrigin, at now: Date) {
        let present = cookies ?? []
        let (plain, namesakes) = (cookie.plain, present.filter { $0.name == cookie.name })
        guard
            origin.isSecure || !namesakes.contains(where: { $0.plain.isHidden(by: plain, at: now) })
        else { return }
        let replaced = namesakes.filter { $0.plain.isSame(as: plain) }
        let hasEnded = plain.hasEnded(at: now)
        for old in replaced where hasEnded || old.domain != cookie.domain { deleteCookie(old) }
        guard !hasEnded else { return }
        let creationDate = replaced.map { CookieRecord($0).creationDate }.min()
        let new = creationDate.map { cookie.created(at: $0) } ?? cookie
        // Storing writes everything to disk, and many servers send the same cookies repeatedly.
        guard !replaced.contains(where: { $0.isEqual(to: new) }) else { return }
        setCookie(new)
        if replaced.isEmpty { makeRoom(in: cookie.bareDomain) }
    }

    /// Removes the oldest cookies of a domain that has too many; storing has removed expired ones.
    private func makeRoom(in domain: String) {
        let neighbours = (cookies ?? []).filter { $0.bareDomain == domain }
        let excess = neighbours.count - Self.greatestCookieCount
        guard excess > 0 else { return }
        let oldestFirst = neighbours.sorted {
            CookieRecord($0).creationDate < CookieRecord($1).creationDate
        }
        for cookie in oldestFirst.prefix(excess) { deleteCookie(cookie) }
    }
}

extension HTTPCookie {
    /// Whether storing it in place of another one would change nothing.
    fileprivate func isEqual(to other: HTTPCookie) -> Bool {
        value == other.value && domain == other.domain && isSecure == other.isSecure
            && isHTTPOnly == other.isHTTPOnly && expiresDate == other.expiresDate
            && comment == other.comment
    }
}

extension HTTPCookieStorage {
    /// The shared storage, whose file other users cannot reach unless its directory already existed.
    ///
    /// Foundation writes a file that every user can read, and a new one with each change. So the directory is made
    /// first, as the XDG Base Directory Specification requires: for its user only.
    static var privateShared: HTTPCookieStorage {
        directory
        return shared
    }

    /// Creates the directory for Foundation's file.
    private static let directory: Void = {
        let name = Bundle.main.bundleURL.deletingPathExtension().lastPathComponent
        let manager = FileManager.default
        let support = manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        guard let path = support?.appendingPathComponent(name).path,
            !manager.fileExists(atPath: path)
        else { return }
        // If this fails, Foundation looks for another place.
        try? manager.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }()
}

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
