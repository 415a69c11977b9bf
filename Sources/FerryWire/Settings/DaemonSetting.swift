/// A setting of ferryd: the one table for its files, its command line, `ferry config` and ferry.conf(5).
package enum DaemonSetting: String, CaseIterable, Hashable, Sendable {
    case logLevel = "log-level"
    case maximumTransfers = "maximum-transfers"
    case maximumPerHost = "maximum-per-host"
    case connections
    case connectionTrial = "connection-trial"
    case connectionsFrom = "connections-from"
    case spliceFrom = "splice-from"
    case receiveRate = "receive-rate"
    case sendRate = "send-rate"
    case idleTime = "idle-time"
    case retryDelay = "retry-delay"
    case fullDiskDelay = "full-disk-delay"
    case relaunchDelay = "relaunch-delay"
    case httpProxy = "http-proxy"
    case httpsProxy = "https-proxy"
    case noProxy = "no-proxy"
    case authorityFile = "ca-file"
    case authorityDirectory = "ca-directory"
    case history
    case historyDays = "history-days"
    case execAfter = "exec-after"

    /// What stands in the files in place of a value, so that the default holds.
    package static let standardWord = "default"
    /// The group of the files that the settings are in.
    package static let group = "ferryd"

    /// What is said about a setting.
    fileprivate struct Entry {
        let placeholder: String
        let domain: Domain
        let summary: String
        let standard: String?

        init(
            _ placeholder: String,
            _ domain: Domain,
            _ summary: String,
            standard: String? = nil
        ) {
            self.placeholder = placeholder
            self.domain = domain
            self.summary = summary
            self.standard = standard
        }
    }

    /// The name in the files; with two dashes, that of the option.
    package var name: String { rawValue }

    /// The placeholder of its value.
    package var placeholder: String { entry.placeholder }

    /// The values that it takes.
    package var domain: Domain { entry.domain }

    /// What it does, in a few words.
    package var summary: String { entry.summary }

    /// The value without any file or option, as a file would have it; nil for none.
    package var standard: String? { entry.standard }

    /// Whether ferryd's command line takes it.
    ///
    /// Proxies and authorities are for the files: what is in an argument is seen by every user of the machine, and a
    /// proxy's address may have a password.
    package var isOption: Bool {
        switch self {
        case .httpProxy, .httpsProxy, .noProxy, .authorityFile, .authorityDirectory, .execAfter:
            false
        default: true
        }
    }

    private var entry: Entry {
        switch self {
        case .logLevel:
            Entry("LEVEL", .level, "the least severe lines of the log", standard: "info")
        case .maximumTransfers:
            Entry("N", .number(1...1024), "transfers at once", standard: "32")
        case .maximumPerHost:
            Entry("N", .number(1...256), "transfers at once for one host", standard: "16")
        case .connections:
            Entry("N", .number(1...16), "connections for one download", standard: "4")
        case .connectionTrial: .seconds("the time until further connections are judged", "0.4")
        case .connectionsFrom: .bytes("the least size of a body that has several", "8388608")
        case .spliceFrom: .bytes("the least size of a body that is spliced", "16777216")
        case .receiveRate: Entry("RATE", .rate, "what all transfers together receive at most")
        case .sendRate: Entry("RATE", .rate, "what all transfers together send at most")
        case .idleTime: .seconds("the time until it ends with nothing to do", "10")
        case .retryDelay: .seconds("the first delay after a failed attempt", "1")
        case .fullDiskDelay: .seconds("the wait for room on a full disk", "30")
        case .relaunchDelay: .seconds("the first delay between two starts of an app", "1")
        case .httpProxy:
            Entry("ADDRESS", .address, "the proxy for http, where a session names none")
        case .httpsProxy:
            Entry("ADDRESS", .address, "the proxy for https, where a session names none")
        case .noProxy: Entry("HOSTS", .hosts, "the hosts that these two are not for")
        case .authorityFile:
            Entry("PATH", .path, "the trusted authorities, where a session names none")
        case .authorityDirectory:
            Entry("PATH", .path, "their directory, where a session names none")
        case .history:
            Entry(
                "N",
                .number(1...1_000_000),
                "ended transfers that are remembered",
                standard: "1000"
            )
        case .historyDays: Entry("DAYS", .number(1...36_500), "for how many days they are")
        case .execAfter:
            Entry("COMMAND", .command, "what the shell runs after each transfer of 'ferry'")
        }
    }
}

extension DaemonSetting.Entry {
    /// A setting that takes a time.
    static func seconds(_ summary: String, _ standard: String) -> Self {
        Self("SECONDS", .seconds, summary, standard: standard)
    }

    /// A setting that takes a size.
    static func bytes(_ summary: String, _ standard: String) -> Self {
        Self("BYTES", .number(1...Int.max), summary, standard: standard)
    }
}
