public import Foundation

extension TransferDaemon.Transfer {
    /// What a transfer waits for.
    public struct Wait: Hashable, Sendable {
        /// What kind of thing it waits for.
        public var reason: Reason
        /// When the wait ends; nil if that is not a matter of time.
        public var until: Date?
        /// More about it, for a person, such as the failure after which it is tried again.
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
    /// The kinds of things that a transfer may wait for.
    ///
    /// Reasons are added over time, so treat one that you do not know as its ``description``.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// It was suspended, by its application or by the user.
        public static let paused = Reason(name: "paused")
        /// As many transfers from the same host are running as are allowed.
        public static let hostLimit = Reason(name: "hostLimit")
        /// As many transfers are running as are allowed.
        public static let connectionLimit = Reason(name: "connectionLimit")
        /// It failed and is tried again after a while.
        public static let backoff = Reason(name: "backoff")
        /// Its application wants it to begin later.
        public static let earliestBegin = Reason(name: "earliestBegin")
        /// Its application has to decide something first, such as which password to use.
        public static let application = Reason(name: "application")
        /// No route leads from this machine to any other; it goes on when there is one.
        public static let network = Reason(name: "network")
        /// The disk, or the user's share of it, is full.
        public static let diskSpace = Reason(name: "diskSpace")
        /// Its host has failed time and again, and is asked by one transfer only until it answers.
        public static let hostFailure = Reason(name: "hostFailure")
        /// It brought next to nothing, and has left its place to others that waited; it goes on as soon as there is room.
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
