/// An address with ranges and sets in it, as curl has them: `https://example.org/{a,b}/[001-100].jpg`.
///
/// A range is `[1-9]`, `[001-100]`, `[a-z]` or `[0-100:10]`, a set is `{one,two}`. Brackets and braces around anything else
/// are characters of the address, such as those of an IPv6 address, and so is each behind a backslash.
struct AddressPattern: Hashable, Sendable {
    /// One of the addresses that the pattern stands for.
    struct Match: Hashable, Sendable {
        /// The address.
        var address: String
        /// What stands in it for each range and set, in their order.
        var values: [String]

        /// Returns a name with `#1`, `#2` … replaced by what stands for that range or set.
        ///
        /// - Parameter name: The name; a number that no range or set has stays as it is.
        /// - Returns: The name.
        func name(_ name: String) -> String {
            var rest = name[...]
            var result = ""
            while let sign = rest.firstIndex(of: "#") {
                let digits = rest[rest.index(after: sign)...].prefix { $0.isASCII && $0.isNumber }
                result += rest[..<sign]
                if let number = Int(digits), values.indices.contains(number - 1) {
                    result += values[number - 1]
                } else {
                    result += "#\(digits)"
                }
                rest = rest[digits.endIndex...]
            }
            return result + rest
        }
    }

    /// A range that has no values.
    struct Fault: Error, Hashable {
        /// What is wrong with it, without a full stop.
        let message: String
    }

    private enum Part: Hashable, Sendable {
        case text(String)
        case numbers(first: Int, last: Int, step: Int, width: Int)
        case letters(first: UInt8, last: UInt8, step: Int)
        case set([String])

        var count: Int {
            switch self {
            case .text: 1
            case .numbers(let first, let last, let step, _): (last - first) / step + 1
            case .letters(let first, let last, let step): Int(last - first) / step + 1
            case .set(let values): values.count
            }
        }

        func value(at index: Int) -> String {
            switch self {
            case .text(let text): return text
            case .numbers(let first, _, let step, let width):
                let digits = String(first + index * step)
                return String(repeating: "0", count: max(0, width - digits.count)) + digits
            case .letters(let first, _, let step):
                return String(UnicodeScalar(first + UInt8(index * step)))
            case .set(let values): return values[index]
            }
        }

        var isVariable: Bool { if case .text = self { false } else { true } }
    }

    private static let greatestNumber = 1 << 53

    private var parts: [Part] = []

    /// Reads a pattern.
    ///
    /// - Parameter text: The address with its ranges and sets.
    /// - Throws: ``Fault`` for a range that ends before it begins, or has no step.
    init(_ text: String) throws(Fault) {
        var rest = text[...]
        var literal = ""
        while let opening = rest.firstIndex(where: { $0 == "[" || $0 == "{" || $0 == "\\" }) {
            literal += rest[..<opening]
            rest = rest[opening...]
            if rest.first == "\\" {
                // A bracket behind it is a character of the address.
                let isEscape = rest.dropFirst().first.map { "[]{}".contains($0) } == true
                if isEscape { rest.removeFirst() }
                literal.append(rest.removeFirst())
                continue
            }
            let closing: Character = rest.first == "[" ? "]" : "}"
            let content = rest.dropFirst().prefix { $0 != closing && $0 != rest.first }
            if content.endIndex < rest.endIndex, rest[content.endIndex] == closing,
                let part = try Self.part(content, isRange: closing == "]")
            {
                parts += [.text(literal), part]
                literal = ""
                rest = rest[content.endIndex...].dropFirst()
            } else {
                literal.append(rest.removeFirst())
            }
        }
        parts.append(.text(literal + rest))
    }

    /// The number of addresses that the pattern stands for; `Int.max` if there are more.
    var count: Int {
        parts.reduce(1) { product, part in
            let (count, overflow) = product.multipliedReportingOverflow(by: part.count)
            return overflow ? .max : count
        }
    }

    /// The addresses, of which those that differ in the last range or set follow each other.
    var matches: some Sequence<Match> {
        (0..<count).lazy.map { number in
            var (rest, address, values) = (number, "", [String]())
            for part in parts.reversed() {
                let value = part.value(at: rest % part.count)
                rest /= part.count
                address = value + address
                if part.isVariable { values.insert(value, at: 0) }
            }
            return Match(address: address, values: values)
        }
    }

    /// Reads what stands between brackets or braces; nil for characters of the address.
    private static func part(_ content: Substring, isRange: Bool) throws(Fault) -> Part? {
        guard isRange else {
            let values = content.split(separator: ",", omittingEmptySubsequences: false)
            return values.count > 1 ? .set(values.map(String.init)) : nil
        }
        let pieces = content.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let ends = pieces[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, pieces.count == 1 || isNumber(pieces[1]) else { return nil }
        let step = pieces.count == 1 ? 1 : Int(pieces[1]) ?? .max
        if isNumber(ends[0]), isNumber(ends[1]) {
            guard let first = Int(ends[0]), let last = Int(ends[1]), last < greatestNumber else {
                throw Fault(message: "the numbers of the range '[\(content)]' are too large")
            }
            try check(first <= last, step, content)
            let isPadded = ends[0].hasPrefix("0") && ends[0].count > 1
            let width = isPadded ? ends[0].count : 0
            return .numbers(first: first, last: last, step: step, width: width)
        }
        guard let first = letter(ends[0]), let last = letter(ends[1]) else { return nil }
        try check(first <= last && (first < 0x60) == (last < 0x60), step, content)
        return .letters(first: first, last: last, step: step)
    }

    private static func check(_ isOrdered: Bool, _ step: Int, _ content: Substring) throws(Fault) {
        if !isOrdered { throw Fault(message: "the range '[\(content)]' ends before it begins") }
        if step == 0 { throw Fault(message: "the range '[\(content)]' has a step of 0") }
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }
    }

    private static func letter(_ text: Substring) -> UInt8? {
        guard text.count == 1, let letter = text.first, letter.isASCII, letter.isLetter else {
            return nil
        }
        return letter.asciiValue
    }
}
