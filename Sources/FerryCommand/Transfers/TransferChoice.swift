import Ferry
import Foundation

/// What a command's options say of each transfer, whether it is a download or an upload.
struct TransferChoice: Hashable, Sendable {
    private static let limitRate = OptionSyntax(
        "limit-rate",
        value: "RATE",
        help:
            "transfer each file no faster than this, such as 500k or 2M bytes per second; k is 1000"
    )
    /// The option that says how often failures are tried again.
    static let retries = OptionSyntax(
        "retries",
        value: "N",
        help: "give up a file after N failures in a row"
    )
    private static let retryDelay = OptionSyntax(
        "retry-delay",
        value: "TIME",
        help:
            "wait up to this long after a failure, and longer after each further one (default: 1s)"
    )
    private static let retryOn = OptionSyntax(
        "retry-on",
        value: "STATUS",
        help: "try again after these statuses as well, such as 403,404 or 400-499"
    )
    private static let timeout = OptionSyntax(
        "timeout",
        value: "TIME",
        help: "try again when nothing has arrived for this time (default: 60s)"
    )
    private static let connectTimeout = OptionSyntax(
        "connect-timeout",
        value: "TIME",
        help: "try again when a connection takes longer than 5s, 2m … (default: 15s)"
    )
    private static let maximumRedirects = OptionSyntax(
        "max-redirs",
        value: "N",
        help: "follow up to N redirects in a row (default: 20)"
    )
    /// The option that keeps transfers from servers without TLS.
    static let httpsOnly = OptionSyntax(
        "https-only",
        help: "refuse URLs of http, and redirects to them"
    )
    private static let insecure = OptionSyntax(
        "insecure",
        letter: "k",
        help: "accept any certificate of a server, so that nobody knows who it is"
    )
    private static let keepAwake = OptionSyntax(
        "keep-awake",
        help: "keep the machine from sleeping by itself meanwhile"
    )
    private static let unmeteredOnly = OptionSyntax(
        "unmetered-only",
        help: "wait while the network is metered or cellular"
    )
    private static let whenIdle = OptionSyntax(
        "when-idle",
        help:
            "wait for mains power, an unmetered network and the hours of 'ferry limit' for discretionary transfers"
    )
    /// The number of attempts with a server that has answered no transfer, while a person waits.
    private static let unansweredAttempts = 5
    /// The responses that say that a server has no answer for now, as against 501 and 505, which no time changes.
    private static let retriedStatuses = Set(500...599).subtracting([501, 505]).union([408, 429])

    /// The options of a command that transfers files.
    static let options = ofAttempts + ofSecurity + ofConditions
    /// The options about speed, failures and redirects.
    static let ofAttempts = [
        limitRate, retries, retryDelay, retryOn, timeout, connectTimeout, maximumRedirects,
    ]
    /// The options about TLS.
    static let ofSecurity = [httpsOnly, insecure]
    /// The options about the time of transfers, and the machine.
    static let ofConditions = [keepAwake, unmeteredOnly, whenIdle]
    /// The options of which each value counts, rather than the last one.
    static let repeated: Set = [retryOn]
    /// The paragraph of a command's help about failures.
    static let discussion =
        "What fails is tried again for a week, or as long as --give-up-after says. If a server has not "
        + "answered yet, for example because its name does not exist or it refuses connections, it is asked "
        + "\(unansweredAttempts) times, which takes about 10 seconds, or about 90 if it does not respond at all and "
        + "--connect-timeout is not set; with --detach and after Ctrl-C, for a week. One that answers only that it "
        + "is not available, by a status of 408, 429 or 500 and more, is asked 11 times, which takes about 10 minutes. "
        + "--retries sets the number for all of these cases. Attempts without a network do not count."

    /// The rate that none of them exceeds, in bytes per second; nil for no limit.
    let maximumRate: Int64?
    private let idleTimeout: Duration?
    private let connectTimeout: Duration?
    private let maximumRedirects: Int?
    /// Whether URLs and redirects are those of https alone.
    let requiresHTTPS: Bool
    private let keepsMachineAwake: Bool
    private let acceptsInvalidCertificates: Bool
    private var avoidedConditions: TransferOptions.Conditions = []
    private var retry = TransferOptions.Retry()

    /// Reads a command's options.
    ///
    /// - Parameters:
    ///   - arguments: The options.
    ///   - isDetached: Whether nobody waits for the transfers.
    /// - Throws: ``UsageError`` when an option is invalid.
    init(_ arguments: Arguments, isDetached: Bool) throws(UsageError) {
        maximumRate = try arguments.value(of: Self.limitRate).flatMap { text throws(UsageError) in
            try arguments.rate(text)
        }
        idleTimeout = try arguments.duration(of: Self.timeout)
        connectTimeout = try arguments.duration(of: Self.connectTimeout)
        maximumRedirects = try arguments.integer(of: Self.maximumRedirects, in: 0...1000)
        requiresHTTPS = arguments.has(Self.httpsOnly)
        keepsMachineAwake = arguments.has(Self.keepAwake)
        acceptsInvalidCertificates = arguments.has(Self.insecure)
        if arguments.has(Self.unmeteredOnly) {
            avoidedConditions.formUnion([.expensiveNetwork, .cellularNetwork])
        }
        if arguments.has(Self.whenIdle) { avoidedConditions.formUnion(.discretionary) }
        retry.statuses = try Self.retriedStatuses.union(Self.statuses(arguments))
        if let delay = try arguments.duration(of: Self.retryDelay) {
            retry.firstDelay = delay
            retry.maximumDelay = max(delay, retry.maximumDelay)
        }
        if let text = arguments.value(of: Self.retries) {
            retry.maximumAttempts = try arguments.count(text, of: Self.retries)
        } else if !isDetached {
            retry.maximumUnansweredAttempts = Self.unansweredAttempts
        }
    }

    /// Refuses a URL that the options exclude.
    func check(_ url: URL, _ arguments: Arguments) throws(UsageError) {
        guard requiresHTTPS, url.scheme?.lowercased() != "https" else { return }
        throw arguments.error("'\(url.shown)' is no https URL, which --https-only requires.")
    }

    private static func statuses(_ arguments: Arguments) throws(UsageError) -> Set<Int> {
        var statuses: Set<Int> = []
        for text in arguments.values(of: retryOn).flatMap({ $0.split(separator: ",") }) {
            let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard 1...2 ~= ends.count, let first = ends[0], let last = ends.last ?? nil,
                first <= last, 400...599 ~= first, 400...599 ~= last
            else {
                throw arguments.error("--retry-on takes statuses from 400 to 599, not '\(text)'.")
            }
            statuses.formUnion(first...last)
        }
        return statuses
    }

    /// Applies to a request what is not one of the options of its transfer.
    func apply(to request: inout URLRequest) {
        if let idleTimeout { request.timeoutInterval = idleTimeout / .seconds(1) }
    }

    /// The options of a transfer, without a limit of its rate.
    var options: TransferOptions {
        var options = TransferOptions()
        options.connectTimeout = connectTimeout
        options.maximumRedirects = maximumRedirects
        options.requiresHTTPS = requiresHTTPS
        options.keepsMachineAwake = keepsMachineAwake
        options.acceptsInvalidCertificates = acceptsInvalidCertificates
        options.avoidedConditions = avoidedConditions
        options.retry = retry
        return options
    }
}
