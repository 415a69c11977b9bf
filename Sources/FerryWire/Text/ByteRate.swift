/// Rates in bytes per second, as people write them: `500k`, `2M`, `1.5MiB`.
package enum ByteRate {
    /// The factors of the units; without `i` they are decimal.
    private static let units: [String: Double] = [
        "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9,
        "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824,
    ]

    /// Reads a rate of at least 1 byte per second; `nil` if the text is none.
    package static func parse(_ text: some StringProtocol) -> Int64? {
        let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text.dropFirst(number.count).lowercased()
        guard let value = Double(number), let factor = units[unit], 1..<1e15 ~= value * factor
        else { return nil }
        return Int64(value * factor)
    }

    /// Returns the shortest text that ``parse(_:)`` reads as the same rate, as a person is likely to have written it.
    package static func text(_ bytesPerSecond: Int64) -> String {
        let names = ["G", "GiB", "M", "MiB", "k", "KiB"]
        let texts = names.compactMap { name -> String? in
            guard let size = units[name.lowercased()] else { return nil }
            let thousandths = (Double(bytesPerSecond) / size * 1000).rounded()
            guard 1000..<1e15 ~= thousandths else { return nil }
            let text = decimal(Int64(thousandths)) + name
            return parse(text) == bytesPerSecond ? text : nil
        }
        let shortest = texts.min { $0.utf8.count < $1.utf8.count }
        let whole = "\(bytesPerSecond)"
        return shortest.flatMap { $0.utf8.count <= whole.utf8.count ? $0 : nil } ?? whole
    }

    /// Returns a number of thousandths with no more digits than it takes.
    private static func decimal(_ thousandths: Int64) -> String {
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        guard rest != 0 else { return "\(whole)" }
        let digits = String(1000 + rest).dropFirst()
        let end = digits.lastIndex { $0 != "0" }
        return end.map { "\(whole).\(digits[...$0])" } ?? "\(whole)"
    }
}
