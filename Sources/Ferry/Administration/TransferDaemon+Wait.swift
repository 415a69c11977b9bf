public import Foundation

extension TransferDaemon.Transfer {
    /// The condition that a transfer waits for.
    public struct Wait: Hashable, Sendable {
        /// The kind of condition.
        public var reason: Reason
        /// When the wait ends; nil if that does not depend on time.
        public var until: Date?
        /// Human-readable details, such as the failure that is being retried.
        public var detail: String?

        /// A wait with a reason.
        package init(reason: Reason, until: Date? = nil, detail: String? = nil) {
            self.reason = reason
            self.until = until
            self.detail = detail
        }
    }
}

extension TransferDaemon.Transfer.Wait {
    /// The kind of condition that a transfer may wait for.
    ///
    /// New reasons may be added; treat an unknown one as its ``description``.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// It was suspended, by its application or by the user.
        public static let paused = Reason(name: "paused")
        /// The limit on running transfers from the same host is reached.
        public static let hostLimit = Reason(name: "hostLimit")
        /// The limit on running transfers is reached.
        public static let connectionLimit = Reason(name: "connectionLimit")
        /// It failed and will be retried after a delay.
        public static let backoff = Reason(name: "backoff")
        /// Its application wants it to begin later.
        public static let earliestBegin = Reason(name: "earliestBegin")
        /// Its application has to decide something first, such as which password to use.
        public static let application = Reason(name: "application")
        /// This machine has no route to any other; the transfer continues when there is one.
        public static let network = Reason(name: "network")
        /// The disk is full, or the user's quota is used up.
        public static let diskSpace = Reason(name: "diskSpace")
        /// Its host has failed repeatedly; only one transfer tries the host until it answers.
        public static let hostFailure = Reason(name: "hostFailure")
        /// It received almost nothing and gave its place to waiting transfers; it continues as soon as a place is free.
        public static let fairShare = Reason(name: "fairShare")
        /// It is about to run.
        public static let starting = Reason(name: "starting")
        /// None of these; ``TransferDaemon/Transfer/Wait/detail`` says what.
        public static let other = Reason(name: "other")

        /// The reason of that name in the daemon's interface.
        package init(name: String) {
            self.name = name
        }

        /// The reason's name.
        public var description: String { name }
    }
}
