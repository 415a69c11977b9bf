import FerrySystem

extension DaemonSetting {
    /// The values that a setting takes.
    package enum Domain: Hashable, Sendable, CustomStringConvertible {
        /// A whole number.
        case number(ClosedRange<Int>)
        /// A time in seconds.
        case seconds
        /// A number of bytes per second.
        case rate
        /// One of some words.
        case choice([String])
        /// The address of a proxy.
        case address
        /// Hosts, with commas between them.
        case hosts
        /// An absolute path.
        case path
        /// A command for the shell.
        case command

        /// A level of the log.
        static let level = choice(["error", "warning", "notice", "info", "debug"])

        /// What is allowed, for people.
        package var description: String {
            switch self {
            case .number(let range):
                "a number from \(range.lowerBound) to \(range.upperBound)"
            case .seconds: "a number of seconds from 0 to 86400"
            case .rate: "a rate in bytes per second, such as 500k, 2M or 1.5MiB"
            case .choice(let words): "one of \(words.joined(separator: ", "))"
            case .address: "an address such as http://proxy.example:3128"
            case .hosts: "hosts with commas between them, such as .example.org,10.0.0.1"
            case .path: "an absolute path"
            case .command: "a command line of at most 1024 bytes"
            }
        }

        /// Reads a value.
        ///
        /// - Parameter text: The text as a person has written it.
        /// - Returns: The value; nil if the text is none that is allowed.
        package func value(of text: String) -> DaemonSetting.Value? {
            switch self {
            case .number(let range):
                Int(text).flatMap { range.contains($0) ? .number($0) : nil }
            case .seconds:
                Double(text).flatMap { (0...86_400).contains($0) ? .seconds($0) : nil }
            case .rate: ByteRate.parse(text).map { .rate($0) }
            case .choice(let words): words.contains(text) ? .word(text) : nil
            case .address: Self.isAddress(text) ? .address(text) : nil
            case .hosts: Self.hosts(text)
            case .path:
                text.hasPrefix("/") && text.utf8.count <= 4095 && Self.isPrintable(text)
                    ? .word(text) : nil
            case .command: 1...1024 ~= text.utf8.count && Self.isPrintable(text) ? .word(text) : nil
            }
        }

        private static func isAddress(_ text: String) -> Bool {
            ProxyAddress.fault(in: text) == nil
        }

        private static func hosts(_ text: String) -> DaemonSetting.Value? {
            let hosts = text.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
                .filter { !$0.isEmpty }
            return hosts.isEmpty || !isPrintable(text) ? nil : .hosts(hosts)
        }

        private static func isPrintable(_ text: String) -> Bool {
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
    }

    /// A value of a setting.
    package enum Value: Hashable, Sendable {
        case number(Int)
        case seconds(Double)
        case rate(Int64)
        case word(String)
        case address(String)
        case hosts([String])

        /// The value as a file has it, without a proxy's password.
        package var text: String {
            switch self {
            case .number(let number): "\(number)"
            case .seconds(let number):
                Int(exactly: number).map { "\($0)" } ?? "\(number)"
            case .rate(let rate): ByteRate.text(rate)
            case .word(let word): word
            case .address(let address): Self.withoutSecrets(address)
            case .hosts(let hosts): hosts.joined(separator: ",")
            }
        }

        /// Returns an address without the name and the password that stand before its host.
        private static func withoutSecrets(_ address: String) -> String {
            guard let at = address.lastIndex(of: "@") else { return address }
            let scheme = address.firstRange(of: "://").map { address[..<$0.upperBound] } ?? ""
            return scheme + "..." + address[at...]
        }
    }
}
