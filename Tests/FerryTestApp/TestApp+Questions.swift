import Ferry
import Foundation
import Synchronization

/// What the app decides for its tasks; each question is a line, with how it was answered.
extension TestApp {
    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
            return identify(to: space, completionHandler)
        }
        guard options.trusts, let trust = space.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        events.write("trusts \(space.host)")
        completionHandler(.useCredential, URLCredential(trust: trust))
    }

    private func identify(
        to space: URLProtectionSpace,
        _ completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let (path, passphrase) = options.identity,
            let data = try? Data(contentsOf: URL(fileURLWithPath: path))
        else { return completionHandler(.performDefaultHandling, nil) }
        events.write("identifies itself")
        let credential = URLCredential(
            identity: SecIdentity(pkcs12: data, passphrase: passphrase),
            certificates: nil,
            persistence: .forSession
        )
        completionHandler(.useCredential, credential)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let count = challenge.previousFailureCount
        events.write("asked \(task.taskIdentifier) \(count)")
        if options.isSilent, Application.shared.launchReason == .user { return }
        if options.cancelsChallenges {
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        guard count < options.passwords.count else {
            return completionHandler(.performDefaultHandling, nil)
        }
        let credential = URLCredential(
            user: options.user,
            password: options.passwords[count],
            persistence: .forSession
        )
        completionHandler(.useCredential, credential)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
        let isEarly = task.earliestBeginDate.map { $0 > Date() } ?? false
        events.write("will-begin \(task.taskIdentifier)\(isEarly ? " too early" : "")")
        switch options.delayed {
        case "cancel": return (.cancel, nil)
        case let url?: return (.useNewRequest, URL(string: url).map { URLRequest(url: $0) })
        case nil: return (.continueLoading, nil)
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needsNewRequestAfter response: HTTPURLResponse,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let link = options.link.flatMap { URL(string: $0, relativeTo: task.originalRequest?.url) }
        completionHandler(link.map { URLRequest(url: $0.absoluteURL) })
    }
}

/// A program's own handler of SIGTERM, which tells of the signal and ends the process with status 3.
enum OwnHandler {
    private static let descriptor = Atomic<Int32>(-1)

    static func install(writingTo path: String) {
        descriptor.store(open(path, O_WRONLY | O_APPEND | O_CLOEXEC), ordering: .relaxed)
        signal(SIGTERM) { _ in
            _ = write(OwnHandler.descriptor.load(ordering: .relaxed), "own-handler\n", 12)
            _exit(3)
        }
    }
}
