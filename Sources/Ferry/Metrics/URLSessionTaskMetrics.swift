public import Foundation

/// What a task has cost, and when what of it happened.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    // @unchecked because an open class cannot be checked; all it has is set once.
    private let transactions: [URLSessionTaskTransactionMetrics]
    private let interval: DateInterval
    private let redirects: Int

    /// Puts together what was collected.
    ///
    /// - Parameters:
    ///   - taskInterval: From the task's creation to its end.
    ///   - redirectCount: How many redirects were followed.
    ///   - transactions: One for each request, in order.
    init(
        taskInterval: DateInterval,
        redirectCount: Int,
        transactions: [URLSessionTaskTransactionMetrics]
    ) {
        self.transactions = transactions
        interval = taskInterval
        redirects = redirectCount
        super.init()
    }

    /// One for each request that the task has made, also for those that were redirected or had to be
    /// repeated with a password; in order.
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { transactions }

    /// The time from the task's creation to its end.
    open var taskInterval: DateInterval { interval }

    /// How many redirects were followed.
    open var redirectCount: Int { redirects }
}

extension URLSessionTaskMetrics {
    /// Where a response has come from.
    public enum ResourceFetchType: Int, Hashable, Sendable {
        /// Not known.
        case unknown = 0
        /// From the network.
        case networkLoad = 1
        /// Pushed by the server before it was asked for; does not happen on Linux.
        case serverPush = 2
        /// From the session's cache.
        case localCache = 3
    }

    /// How a host's name was looked up.
    public enum DomainResolutionProtocol: Int, Hashable, Sendable {
        /// Not known.
        case unknown = 0
        /// Plain DNS over UDP.
        case udp = 1
        /// Plain DNS over TCP.
        case tcp = 2
        /// DNS over TLS.
        case tls = 3
        /// DNS over HTTPS.
        case https = 4
    }
}
