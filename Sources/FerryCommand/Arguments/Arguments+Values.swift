import Ferry
import Foundation

extension Arguments {
    /// An http or https address.
    func webAddress(_ text: String) throws(UsageError) -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host()?.isEmpty == false
        else {
            let hint = text.contains("://") ? "" : " Did you mean 'https://\(text)'?"
            throw error("'\(text)' is no http or https URL.\(hint)")
        }
        return url
    }

    /// A rate in bytes per second; nil for no limit.
    func rate(_ text: String) throws(UsageError) -> Int64? {
        if text == "none" { return nil }
        guard let rate = Self.byteCount(text), rate >= 1 else {
            throw error("'\(text)' is no rate such as 500k, 2M or 1.5MiB, nor 'none'.")
        }
        return rate
    }

    /// A number of at least 1.
    func count(_ text: String, of option: OptionSyntax) throws(UsageError) -> Int {
        guard let count = Int(text), count >= 1 else {
            throw error("--\(option.name) needs a number from 1 on, not '\(text)'.")
        }
        return count
    }

    /// A time such as `90s`, `30m`, `12h` or `3d`; seconds without a unit.
    func duration(_ text: String, of option: OptionSyntax) throws(UsageError) -> Duration {
        let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let units: [String: Double] = ["": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let value = Double(number),
            let factor = units[text.dropFirst(number.count).lowercased()],
            1...1e9 ~= value * factor
        else {
            throw error("--\(option.name) needs a time such as 90s, 30m, 12h or 3d, not '\(text)'.")
        }
        return .seconds(value * factor)
    }

    /// A digest such as `sha-256=9f86…`.
    func digest(
        _ text: String,
        of option: OptionSyntax
    ) throws(UsageError) -> TransferOptions.Digest {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let names: [String: TransferOptions.Digest.Algorithm] = [
            "sha-256": .sha256, "sha256": .sha256, "sha-512": .sha512, "sha512": .sha512,
            "sha-1": .sha1, "sha1": .sha1, "md5": .md5,
        ]
        guard parts.count == 2, let algorithm = names[parts[0].lowercased()] else {
            throw error(
                "--\(option.name) needs sha-256=DIGITS, sha-512=, sha-1= or md5=, not '\(text)'."
            )
        }
        guard let digest = TransferOptions.Digest(algorithm, hexadecimal: String(parts[1])) else {
            let count = algorithm.byteCount * 2
            throw error(
                "A digest by \(parts[0]) has \(count) hexadecimal digits, not '\(parts[1])'."
            )
        }
        return digest
    }

    /// A number of bytes, optionally with a decimal or binary unit.
    private static func byteCount(_ text: String) -> Int64? {
        let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text.dropFirst(number.count).lowercased()
        let units: [String: Double] = [
            "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9,
            "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824,
        ]
        guard let value = Double(number), let factor = units[unit], value * factor < 1e15 else {
            return nil
        }
        return Int64(value * factor)
    }
}
