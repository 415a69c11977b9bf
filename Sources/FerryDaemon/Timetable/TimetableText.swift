/// The text of the user's timetable: a rule in each line, `#` before comments.
struct TimetableText: Hashable, Sendable {
    private struct Line: Hashable {
        /// The line as it is, without its end.
        var text: String
        /// Its rule or its fault; `nil` if it has only a comment.
        var rule: Result<TimetableRule, TimetableError>?
    }

    private static let introduction = "# The user's timetable; 'ferry limit --help' explains it."

    private var lines: [Line]

    /// Reads a text.
    init(_ text: String = "") {
        // A character of Swift may be a whole "\r\n".
        let parts = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        lines = parts.map { Self.read(String($0)) }
        if lines.last?.text.isEmpty == true { lines.removeLast() }
    }

    private static func read(_ line: String) -> Line {
        let words = line.split { $0.isWhitespace }
        let rule = words.prefix { !$0.hasPrefix("#") }.joined(separator: " ")
        guard !rule.isEmpty else { return Line(text: line, rule: nil) }
        do throws(TimetableError) {
            return Line(text: line, rule: .success(try TimetableRule(rule)))
        } catch {
            return Line(text: line, rule: .failure(error))
        }
    }

    /// The rules of the lines that have one.
    var timetable: Timetable {
        Timetable(rules: lines.compactMap { try? $0.rule?.get() })
    }

    /// The lines that have something else.
    var faults: [LineFault] {
        lines.enumerated().compactMap { index, line in
            guard case .failure(let error) = line.rule else { return nil }
            let text = line.text.split { $0.isWhitespace }.joined(separator: " ")
            return LineFault(line: index + 1, text: text, reason: error.message)
        }
    }

    /// The text.
    var text: String { lines.map { $0.text + "\n" }.joined() }

    /// Adds a rule at the end, unless it is there.
    ///
    /// - Throws: ``TimetableError`` if the text is no rule.
    mutating func add(_ text: String) throws(TimetableError) {
        let rule: TimetableRule
        do throws(TimetableError) {
            rule = try TimetableRule(text)
        } catch {
            throw TimetableError("'\(text)': \(error.message)")
        }
        guard !timetable.rules.contains(rule) else { return }
        if lines.isEmpty { lines.append(Line(text: Self.introduction, rule: nil)) }
        lines.append(Line(text: "\(rule)", rule: .success(rule)))
    }

    /// Removes a rule by its number among the rules, from 1, or by its text.
    ///
    /// - Throws: ``TimetableError`` if there is none.
    mutating func remove(_ selection: String) throws(TimetableError) {
        let rules = lines.indices.filter { (try? lines[$0].rule?.get()) != nil }
        let wanted = try? TimetableRule(selection)
        let chosen =
            Int(selection).map { number in
                rules.indices.contains(number - 1) ? [rules[number - 1]] : []
            } ?? rules.filter { (try? lines[$0].rule?.get()) == wanted }
        guard !chosen.isEmpty else {
            throw TimetableError("there is no rule '\(selection)'; 'ferry limit' shows them all")
        }
        for index in chosen.reversed() { lines.remove(at: index) }
    }
}
