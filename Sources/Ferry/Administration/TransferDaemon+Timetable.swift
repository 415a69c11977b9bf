public import Foundation

extension TransferDaemon {
    /// The user's rules about the hours of the week, and what they make of the present hour.
    ///
    /// A rule limits how fast all transfers together may be in some hours, or sets the hours for discretionary work. The
    /// user writes the rules into a file, which the daemon follows, or changes them by `ferry limit`. Apple's systems have
    /// nothing like it.
    public struct Timetable: Hashable, Sendable {
        /// The path of the file with the rules, which need not exist.
        public var file: String
        /// The rules, in the order of the file.
        public var rules: [Rule]
        /// The lines of the file that are no rules; empty if all is well.
        public var faults: [Fault]
        /// The limits that the rules set now, beside those of ``TransferDaemon/setRates(_:)``.
        public var rates: Rates
        /// Whether discretionary work may run now, as far as the rules are concerned.
        public var admitsDiscretionaryWork: Bool
        /// When the rules next change any of that; nil for never.
        public var nextChange: Date?

        /// A timetable with the given properties.
        package init(
            file: String,
            rules: [Rule] = [],
            faults: [Fault] = [],
            rates: Rates = Rates(),
            admitsDiscretionaryWork: Bool = true,
            nextChange: Date? = nil
        ) {
            self.file = file
            self.rules = rules
            self.faults = faults
            self.rates = rates
            self.admitsDiscretionaryWork = admitsDiscretionaryWork
            self.nextChange = nextChange
        }

        /// A rule of a timetable.
        public struct Rule: Hashable, Sendable {
            /// The rule's number, from 1.
            public var number: Int
            /// The rule, such as `Mon-Fri 08:00-18:00 512k`.
            public var text: String
            /// Whether it holds now.
            public var holds: Bool

            /// A rule with the given properties.
            package init(number: Int, text: String, holds: Bool) {
                self.number = number
                self.text = text
                self.holds = holds
            }
        }

        /// A line of the file that is no rule, or the reason why the whole file cannot be used.
        ///
        /// The other lines hold; if the whole file cannot be used, the rules that were read before hold.
        public struct Fault: Hashable, Sendable {
            /// The line's number, from 1; nil for the whole file.
            public var line: Int?
            /// What the line says; nil for the whole file.
            public var text: String?
            /// What is wrong, and what to do.
            public var reason: String

            /// A fault with the given properties.
            package init(line: Int?, text: String?, reason: String) {
                self.line = line
                self.text = text
                self.reason = reason
            }
        }
    }

    /// Returns the user's timetable.
    ///
    /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses.
    public func timetable() async throws(TransferDaemonError) -> Timetable {
        try await backend.timetable()
    }

    /// Adds a rule at the end of the user's timetable, unless it is there.
    ///
    /// When this returns, the rule is on the disk and holds. Comments in the file are kept.
    ///
    /// - Parameter rule: A rule such as `Mon-Fri 08:00-18:00 512k`, `daily 22:00-06:00 discretionary` or
    ///   `background urgent`.
    /// - Returns: The timetable with the rule.
    /// - Throws: ``TransferDaemonError/Code/invalidRequest`` when it is no rule, and
    ///   ``TransferDaemonError/Code/timetableUnavailable`` when the file cannot be read or written.
    @discardableResult
    public func addRule(_ rule: String) async throws(TransferDaemonError) -> Timetable {
        try await backend.changeTimetable(adding: rule, removing: nil)
    }

    /// Removes a rule from the user's timetable.
    ///
    /// - Parameter rule: The rule, or its number.
    /// - Returns: The timetable without the rule.
    /// - Throws: ``TransferDaemonError/Code/invalidRequest`` when there is no such rule, and
    ///   ``TransferDaemonError/Code/timetableUnavailable`` when the file cannot be read or written.
    @discardableResult
    public func removeRule(_ rule: String) async throws(TransferDaemonError) -> Timetable {
        try await backend.changeTimetable(adding: nil, removing: rule)
    }
}
