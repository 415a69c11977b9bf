import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension Wire.TransferOptions {
    /// The invalid member, and why; `nil` if all are valid.
    var contradiction: (member: String, reason: String)? {
        for digest in digests ?? [] {
            if let reason = digest.contradiction { return ("digests", reason) }
        }
        for mirror in mirrors ?? [] where Origin(url: mirror) == nil {
            return (
                "mirrors",
                "not an http or https address: \(SecretText.masked(String(mirror.prefix(200))))"
            )
        }
        if let directory,
            !directory.hasPrefix("/") || directory.utf8.count >= 4096
                || directory.utf8.contains(0)
        {
            return ("directory", "not an absolute path: \(directory.prefix(200))")
        }
        if let count = maximumConnections, count < 1 {
            return ("maximumConnections", "it is 1 or more, not \(count)")
        }
        if let connectTimeout, !(0...1e9 ~= connectTimeout) {
            return ("connectTimeout", "it is from 0 to 1e9 seconds, not \(connectTimeout)")
        }
        if let count = maximumRedirects, count < 0 {
            return ("maximumRedirects", "it is 0 or more, not \(count)")
        }
        for (member, count) in [
            ("maximumByteCount", maximumByteCount), ("minimumReceiveRate", minimumReceiveRate),
        ] {
            if let count, count < 1 { return (member, "it is 1 or more, not \(count)") }
        }
        if let reason = Self.contradiction(in: cookies ?? []) { return ("cookies", reason) }
        if let contradiction = rates.contradiction { return contradiction }
        if let contradiction = avoids.contradiction { return contradiction }
        return retry?.contradiction.map { ("retry", $0) }
    }

    private static func contradiction(in cookies: [Wire.Cookie]) -> String? {
        guard cookies.count <= TransferCookies.greatestCount else {
            return "there are more than \(TransferCookies.greatestCount)"
        }
        return cookies.allSatisfy { Cookie($0).canBeSent }
            ? nil : "one of them has no name, or is too long, or has a ';' or a control character"
    }

    /// The cookies, in the form that transfers use.
    var ownCookies: [Cookie] { (cookies ?? []).map { Cookie($0) } }

    /// The protocols that an upload may use.
    var uploadProtocols: ResumableUpload.Protocols {
        switch uploadProtocol {
        case .automatic, nil: .automatic
        case .draft: .drafts
        case .tus: .tus
        case .off: .off
        }
    }

    /// The digests, in the form that transfers use.
    var expectedDigests: [Digest] { (digests ?? []).compactMap { Digest($0) } }
}

extension TaskRecord {
    /// Its options; `nil` if its application has set none, or if they are invalid.
    var validOptions: Wire.TransferOptions? {
        let options = options?.value
        return options?.contradiction == nil ? options : nil
    }
}

extension [Wire.Condition]? {
    /// Why they are invalid; `nil` if they are not.
    var contradiction: (member: String, reason: String)? {
        guard self?.contains(.other) == true else { return nil }
        return ("avoids", "one of the conditions is not known to this version of ferryd")
    }
}

extension Wire.Digest {
    fileprivate var contradiction: String? {
        guard let known = Digest.Algorithm(rawValue: algorithm) else {
            let names = Digest.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            return "\(algorithm.prefix(50)) is not known; known are \(names)"
        }
        guard value.count == known.byteCount else {
            return "a digest by \(algorithm) has \(known.byteCount) bytes, not \(value.count)"
        }
        return nil
    }
}

extension Digest {
    fileprivate init?(_ digest: Wire.Digest) {
        guard let algorithm = Algorithm(rawValue: digest.algorithm) else { return nil }
        self.init(algorithm, Array(digest.value))
    }
}

extension Wire.RetryRules {
    fileprivate var contradiction: String? {
        for count in [maximumAttempts, maximumUnansweredAttempts].compactMap({ $0 })
        where count < 1 {
            return "the number of attempts is 1 or more, not \(count)"
        }
        for delay in [firstDelay, maximumDelay].compactMap({ $0 }) where !(0...1e9 ~= delay) {
            return "a delay is from 0 to 1e9 seconds, not \(delay)"
        }
        if let factor, !(1...1e3 ~= factor) { return "the factor is from 1 to 1000, not \(factor)" }
        for status in statuses ?? [] where !(400...599 ~= status) {
            return "a status to ask again for is from 400 to 599, not \(status)"
        }
        return nil
    }
}

extension RetryPolicy {
    /// Returns the policy with an application's changes.
    func applying(_ rules: Wire.RetryRules?) -> RetryPolicy {
        guard let rules else { return self }
        var policy = self
        policy.maximumAttempts = rules.maximumAttempts ?? maximumAttempts
        policy.maximumUnansweredAttempts =
            rules.maximumUnansweredAttempts ?? maximumUnansweredAttempts
        policy.setDelays(
            first: rules.firstDelay.map { .seconds($0) },
            factor: rules.factor,
            maximum: rules.maximumDelay.map { .seconds($0) }
        )
        policy.statuses = rules.statuses.map { Set($0) } ?? statuses
        return policy
    }
}
