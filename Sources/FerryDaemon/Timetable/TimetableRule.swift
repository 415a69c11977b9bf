import FerryStore
import FerryWire

/// A rule of the user's timetable, such as `Mon-Fri 08:00-18:00 512k`.
struct TimetableRule: Hashable, Sendable, CustomStringConvertible {
    /// What a rule does.
    enum Effect: Hashable, Sendable {
        /// All transfers together receive and send so many bytes per second at most.
        case limit(SharedRates)
        /// Discretionary work may run.
        case discretionary
        /// What applications begin in the background is not discretionary.
        case backgroundIsUrgent
    }

    /// When it holds; `nil` for always.
    let hours: WeeklyHours?
    /// What it does.
    let effect: Effect

    private static let example = "a rule looks like 'Mon-Fri 08:00-18:00 512k'"

    /// Reads a rule.
    ///
    /// - Throws: ``TimetableError`` that says what is wrong.
    init(_ text: String) throws(TimetableError) {
        let words = text.split { $0.isWhitespace }.map { $0.lowercased() }
        guard let first = words.first else { throw TimetableError("it is empty; \(Self.example)") }
        if first == "background" {
            guard words == ["background", "urgent"] else {
                throw TimetableError("a rule for the background is 'background urgent'")
            }
            (hours, effect) = (nil, .backgroundIsUrgent)
            return
        }
        let hasTimes = words.count > 1 && words[1].contains(":")
        hours = try WeeklyHours(days: first, times: hasTimes ? words[1] : nil)
        effect = try Self.effect(words.dropFirst(hasTimes ? 2 : 1))
    }

    private static func effect(_ words: ArraySlice<String>) throws(TimetableError) -> Effect {
        guard let first = words.first else {
            throw TimetableError("it does not say what holds then; \(example)")
        }
        if words == ["discretionary"] { return .discretionary }
        if first == "none" {
            throw TimetableError("'none' is not a limit; remove the rule instead")
        }
        var rates = SharedRates()
        var rest = words
        while let word = rest.popFirst() {
            guard let rate = ByteRate.parse(word) else {
                throw TimetableError(
                    "'\(word)' is no rate such as 500k, 2M or 1.5MiB, nor 'discretionary'"
                )
            }
            let direction = rest.first
            if direction == "down" || direction == "up" { rest = rest.dropFirst() }
            let limited = SharedRates(
                receive: direction == "up" ? nil : rate,
                send: direction == "down" ? nil : rate
            )
            guard !rates.overlaps(limited) else {
                throw TimetableError(
                    "'\(word)' limits the same direction again; write '1M down 200k up'"
                )
            }
            rates = rates.lowest(with: limited)
        }
        return .limit(rates)
    }

    /// Returns whether it holds when a local clock shows something.
    func holds(_ reading: LocalClock.Reading) -> Bool { hours?.contains(reading) ?? true }

    /// The rule as it is written.
    var description: String {
        let text =
            switch effect {
            case .limit(let rates): rates.timetableText
            case .discretionary: "discretionary"
            case .backgroundIsUrgent: "background urgent"
            }
        return hours.map { "\($0) \(text)" } ?? text
    }
}

/// Why a rule, or a change of the timetable, is not possible.
struct TimetableError: Error, Hashable, Sendable {
    /// Where the cause is.
    enum Cause: Hashable, Sendable {
        /// What was asked for.
        case request
        /// The file.
        case file
    }

    /// Where the cause is.
    let cause: Cause
    /// What is wrong, why, and what to do.
    let message: String

    init(_ message: String, cause: Cause = .request) {
        self.message = message
        self.cause = cause
    }
}

extension SharedRates {
    /// Returns whether both limit the same direction.
    fileprivate func overlaps(_ other: SharedRates) -> Bool {
        (receive != nil && other.receive != nil) || (send != nil && other.send != nil)
    }

    /// The limits as a rule has them.
    fileprivate var timetableText: String {
        if let receive, receive == send { return ByteRate.text(receive) }
        return [
            receive.map { "\(ByteRate.text($0)) down" }, send.map { "\(ByteRate.text($0)) up" },
        ].compactMap { $0 }.joined(separator: " ")
    }
}
