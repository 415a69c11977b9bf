public import Foundation

/// The metrics of a task and of its requests.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    // @unchecked because an open class cannot be checked; all properties are set once.
    private let transactions: [URLSessionTaskTransactionMetrics]
    private let interval: DateInterval
    private let redirects: Int

    /// Creates metrics from the collected transactions.
    ///
    /// - Parameters:
    ///   - taskInterval: From the task's creation to its end.
    ///   - redirectCount: The number of redirects that were followed.
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

    /// The metrics of each request that the task has made, in order, including requests that were redirected or had to
    /// be repeated with a password.
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { transactions }

    /// The time from the task's creation to its end.
    open var taskInterval: DateInterval { interval }

    /// The number of redirects that were followed.
    open var redirectCount: Int { redirects }
}

extension URLSessionTaskMetrics {
    /// The source of a response.
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

    /// The protocol by which a host name was looked up.
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
