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

    /// Returns a text that ``parse(_:)`` reads as the same rate.
    package static func text(_ bytesPerSecond: Int64) -> String {
        let shown: [(name: String, size: Int64)] = [
            ("G", 1_000_000_000), ("GiB", 1 << 30), ("M", 1_000_000), ("MiB", 1 << 20),
            ("k", 1000), ("KiB", 1 << 10),
        ]
        let unit = shown.first { bytesPerSecond != 0 && bytesPerSecond % $0.size == 0 }
        return unit.map { "\(bytesPerSecond / $0.size)\($0.name)" } ?? "\(bytesPerSecond)"
    }
}
