import Ferry
import FerrySystem
import Foundation
@preconcurrency import Glibc

/// The parsed arguments of one command.
struct Arguments: Hashable, Sendable {
    /// The words that call the command, `ferry` left out.
    var command: [String] = []
    /// The words after the options.
    var operands: [String] = []
    /// The values of each option, in the order given; a switch has empty ones.
    private var values: [OptionSyntax: [String]] = [:]

    /// Records an option.
    mutating func append(_ value: String, for option: OptionSyntax) {
        values[option, default: []].append(value)
    }

    /// Records that an option is not to count, wherever else it is given.
    mutating func reset(_ option: OptionSyntax) { values[option] = [] }

    /// Records the options of other arguments in place of these, or after them.
    ///
    /// - Parameters:
    ///   - other: The arguments whose options count.
    ///   - repeated: The options of which the values of both count.
    mutating func override(by other: Arguments, keepingBoth repeated: Set<OptionSyntax>) {
        for (option, new) in other.values {
            let all = repeated.contains(option) ? (values[option] ?? []) + new : new
            values[option] = new.isEmpty ? nil : all
        }
    }

    /// Whether an option was given.
    func has(_ option: OptionSyntax) -> Bool { values[option] != nil }

    /// Every value an option was given, in order.
    func values(of option: OptionSyntax) -> [String] { values[option] ?? [] }

    /// The value of an option; the last one when it was given more than once.
    func value(of option: OptionSyntax) -> String? { values[option]?.last }

    /// The value of an option that is a number.
    ///
    /// - Parameters:
    ///   - option: The option.
    ///   - range: The valid numbers.
    /// - Returns: The number; nil when the option was not given.
    /// - Throws: ``UsageError`` when the value is invalid.
    func integer<Number: FixedWidthInteger & Sendable>(
        of option: OptionSyntax,
        in range: ClosedRange<Number>
    ) throws(UsageError) -> Number? {
        guard let text = value(of: option) else { return nil }
        guard let number = Number(text), range.contains(number) else {
            throw error("--\(option.name) takes \(description(of: range)), not '\(text)'.")
        }
        return number
    }

    /// The operands as task numbers, without duplicates.
    ///
    /// - Parameter count: The number of leading operands that are something else.
    /// - Returns: The numbers.
    /// - Throws: ``UsageError`` when one of them is invalid.
    func taskIdentifiers(after count: Int = 0) throws(UsageError) -> [Int] {
        var identifiers: [Int] = []
        var known: Set<Int> = []
        for operand in operands.dropFirst(count) {
            guard let identifier = Int(operand), identifier > 0 else {
                throw error("'\(operand)' is no transfer; 'ferry list' shows their numbers.")
            }
            if known.insert(identifier).inserted { identifiers.append(identifier) }
        }
        return identifiers
    }

    /// An error about these arguments.
    func error(_ message: String) -> UsageError { UsageError(message: message, command: command) }

    private func description<Number: FixedWidthInteger>(of range: ClosedRange<Number>) -> String {
        range.upperBound == .max
            ? "a number from \(range.lowerBound)"
            : "a number from \(range.lowerBound) to \(range.upperBound)"
    }
}

/// An error about invalid arguments, with a reference to the help.
struct UsageError: Error, Hashable {
    /// What is wrong, as a sentence.
    let message: String
    /// The words that call the command they were given to, `ferry` left out.
    var command: [String] = []

    /// The lines to show, without a password that was typed.
    var text: String {
        """
        ferry: \(SecretText.masked(message))
        See '\((["ferry"] + command + ["--help"]).joined(separator: " "))'.
        """
    }
}

extension Arguments {
    /// An http or https address.
    ///
    /// What surrounds an address in a list or in a text is not part of it. Blanks inside it are percent-encoded, as wget
    /// and browsers do; it cannot have other characters that are not visible, such as line breaks.
    func webAddress(_ original: String) throws(UsageError) -> URL {
        let text = PastedText.address(original)
        guard !text.unicodeScalars.contains(where: \.isInvisible) else {
            throw error(
                "'\(text.printable)' has a line break or another invisible character in it."
            )
        }
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host()?.isEmpty == false
        else {
            let hint = text.contains("://") ? "" : " Did you mean 'https://\(text)'?"
            throw error("'\(text)' is no http or https URL.\(hint)")
        }
        guard Self.hasValidPort(text) else {
            throw error("The port of '\(url.shown)' is no number from 1 to 65535.")
        }
        return url
    }

    /// Whether a URL has a valid port or none; Foundation takes any number for one.
    private static func hasValidPort(_ text: String) -> Bool {
        let rest = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        let host = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
            .last
        // An IPv6 address has colons in its brackets.
        let end = host?.split(separator: UInt8(ascii: "]"), omittingEmptySubsequences: false).last
        guard let end, let colon = end.lastIndex(of: UInt8(ascii: ":")) else { return true }
        let port = Substring(end[end.index(after: colon)...])
        return port.isEmpty || UInt16(port).map { $0 > 0 } == true
    }

    /// The content of a file that an option names.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - option: The option.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The content.
    /// - Throws: ``UsageError`` when it cannot be read, or is too long.
    func content(
        of path: String,
        for option: OptionSyntax,
        limit: Int
    ) throws(UsageError) -> [UInt8] {
        try content("--\(option.name) '\(path)'", limit: limit) { limit throws(SystemCallError) in
            try Self.file(path, limit: limit)
        }
    }

    /// The content of a file, or of standard input.
    ///
    /// - Parameters:
    ///   - name: What it is called in an error.
    ///   - limit: The maximum number of bytes.
    ///   - read: Reads it.
    /// - Returns: The content.
    /// - Throws: ``UsageError`` when it cannot be read, or is too long.
    func content(
        _ name: String,
        limit: Int,
        _ read: (Int) throws(SystemCallError) -> [UInt8]
    ) throws(UsageError) -> [UInt8] {
        do throws(SystemCallError) {
            return try read(limit)
        } catch {
            let reason =
                error.errno == EFBIG
                ? "it is longer than \(limit >> 20) MiB" : String(cString: strerror(error.errno))
            throw self.error("\(name) cannot be read: \(reason).")
        }
    }

    /// Reads a file to its end.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The content.
    /// - Throws: The error of a call, or `EFBIG` for a file that is longer.
    static func file(_ path: String, limit: Int) throws(SystemCallError) -> [UInt8] {
        let file = FileDescriptor(
            owning: try systemCall("open", path) { open(path, O_RDONLY | O_CLOEXEC) }
        )
        return try file.readToEnd(limit: limit)
    }

    /// What is said of a text that is no rate.
    static func refusal(ofRate text: String) -> String {
        "'\(text)' is no rate such as 500k, 2M or 1.5MiB, nor 'none'."
    }

    /// A rate in bytes per second; nil for no limit.
    func rate(_ text: String) throws(UsageError) -> Int64? {
        if text == "none" { return nil }
        guard let rate = TransferDaemon.Rates.bytesPerSecond(text) else {
            throw error(Self.refusal(ofRate: text))
        }
        return rate
    }

    /// A number of bytes, in the words of a rate.
    func size(_ text: String, of option: OptionSyntax) throws(UsageError) -> Int64 {
        guard let size = TransferDaemon.Rates.bytesPerSecond(text) else {
            throw error("--\(option.name) needs a size such as 500k, 2M or 1.5GiB, not '\(text)'.")
        }
        return size
    }

    /// A number of at least 1.
    func count(_ text: String, of option: OptionSyntax) throws(UsageError) -> Int {
        guard let count = Int(text), count >= 1 else {
            throw error("--\(option.name) needs a number from 1 on, not '\(text)'.")
        }
        return count
    }

    /// A time such as `90s`, `30m`, `12h` or `3d`; seconds without a unit.
    private func duration(_ text: String, of option: OptionSyntax) throws(UsageError) -> Duration {
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

    /// The value of an option that is a time; nil when the option was not given.
    func duration(of option: OptionSyntax) throws(UsageError) -> Duration? {
        try value(of: option).map { text throws(UsageError) in try duration(text, of: option) }
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
}
