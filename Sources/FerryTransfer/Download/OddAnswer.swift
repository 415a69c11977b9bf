package import FerryHTTP
package import FerrySystem

/// A whole body that a server has sent in place of the rest of a file, and that may not be about the same resource.
///
/// The page of a captive portal looks like this. See `docs/decisions/partial-files.md`.
package struct OddAnswer: Hashable, Sendable, Codable {
    private let status: Int
    private let validator: Validator?
    private let byteCount: Int64?
    private let mediaType: String?
    private let origin: String

    /// How much longer than others it has to come again: what says no version is hardly another version of a file.
    var doubtFactor: Int { validator.saysVersion ? 1 : 60 }

    /// Describes a response.
    package init(_ head: HTTPResponseHead) {
        status = head.status
        validator = Validator(head: head)
        byteCount = head.contentLength
        mediaType = head.mediaType
        origin = head.origin ?? ""
    }

    /// The answer in words: `text/html, 877 bytes`.
    private var text: String {
        [
            status == 200 ? nil : "status \(status)",
            mediaType.map { String($0.prefix(100)) } ?? "no media type",
            byteCount.map { $0 == 1 ? "1 byte" : "\($0) bytes" },
        ].compactMap { $0 }.joined(separator: ", ")
    }

    /// The error of an attempt that has got it from a URL.
    func error(at url: String) -> TransferError {
        let host = Origin(url: url).map { " at \($0.host)" } ?? ""
        return TransferError(
            code: .answerDoubted,
            message: "the server\(host) answered with something else (\(text))",
            failingURL: url
        )
    }
}

/// The odd answer that came last in place of a file's rest, and when it came first.
package struct Doubt: Hashable, Sendable, Codable {
    /// The answer.
    package let answer: OddAnswer
    /// The boot in which it came first.
    private let boot: BootIdentifier
    /// How many seconds after the start of that boot.
    private let seconds: Double

    /// Makes the doubt of an answer that comes for the first time, now by default.
    package init(
        _ answer: OddAnswer,
        in boot: BootIdentifier = .current,
        at seconds: Double = BootClock.seconds
    ) {
        self.answer = answer
        self.boot = boot
        self.seconds = seconds
    }

    /// Returns how long ago it came at least.
    ///
    /// The clock is that of the boot, which no program sets. After another boot, the time since its start is certain.
    package func age(
        in boot: BootIdentifier = .current,
        at seconds: Double = BootClock.seconds
    ) -> Duration {
        .seconds(max(0, boot == self.boot ? seconds - self.seconds : seconds))
    }
}

// MARK: - What it means

extension Download {
    /// What a whole body is to the bytes that are here.
    enum Weight: Hashable {
        /// Another version, which replaces them.
        case replacement
        /// The same version, from its first byte on.
        case same
        /// As long as the file, under another validator: a comparison tells.
        case comparable
        /// Perhaps something else: nothing is replaced yet.
        case odd
    }
}

extension Download.Configuration {
    /// Returns what a whole body is to the bytes in the file.
    ///
    /// - Parameters:
    ///   - head: Its head.
    ///   - held: The bytes in the file.
    ///   - isNamed: Whether it, or what is held, is from another place that the user has named.
    /// - Returns: What it is.
    func weigh(
        _ head: HTTPResponseHead,
        against held: Download.StateMachine.Held,
        isNamed: Bool
    ) -> Download.Weight {
        let known = held.version
        guard head.isWhole, !head.isPage(inPlaceOf: known.mediaType) else { return .odd }
        let isNamed = isNamed || known.link != link
        let (total, length) = (known.totalByteCount, head.storedLength)
        let isOfVersion = isOfVersion(head, known)
        let types = [known.mediaType, head.mediaType].compactMap { $0 }
        let isAsLong = total != nil && total == length
        let isOfAnotherType =
            Set(types).count == 2 || types.count == 1 && !head.saysVersion && !isAsLong && !isNamed
        // A length that is not known may be any.
        let isLess =
            length.map { $0 < held.segments?.upperBound ?? held.byteCount } ?? (total != nil)
        let isCertain = known.validator?.isStrong == true
        let isAgreed = isAgreed(head, against: held)
        if known.isRefuted {
            let isShorter = length.map { $0 < held.byteCount } ?? false
            return (isOfAnotherType || isShorter) && !isAgreed ? .odd : .replacement
        }
        // The request asked for no coding, so a coded body is not the file, also if it comes again.
        if isOfVersion, head.saysVersion, known.coding != head.keptCoding { return .odd }
        // It has been compared before, and was something else.
        if isAgreed, length == nil || total != length { return .replacement }
        let isOld = known.link == link && known.isOlder(than: head)
        let isLikeIt = isCertain || !isOfAnotherType && head.origin == known.origin
        let isLong = isCertain && length == nil || !isLess
        let isOfCoding = known.coding == head.keptCoding
        if isOfVersion, isOfCoding, !isOld, isLikeIt, isLong, held.segments == nil { return .same }
        if isAsLong, !isLess, !isOfAnotherType, !isOld { return .comparable }
        let isOdd =
            isOfAnotherType || isOfVersion && !isOld
            || (isNamed ? isLess && !head.saysVersion : isLess || head.isLessCertain(than: known))
        return isOdd && !isAgreed ? .odd : .replacement
    }

    /// Whether an odd answer has come before, long enough ago, and may replace the bytes in the file.
    ///
    /// What is to have a digest is not given up for what may have another, unless the user has named another address or
    /// the server says that it is the same version.
    func isAgreed(
        _ head: HTTPResponseHead,
        against held: Download.StateMachine.Held
    ) -> Bool {
        let known = held.version
        return held.agreed == OddAnswer(head)
            && (digests.isEmpty || known.link != link
                || isOfVersion(head, known) && head.saysVersion)
    }

    /// Whether nothing says that a response is of another version.
    private func isOfVersion(_ head: HTTPResponseHead, _ known: ResourceVersion) -> Bool {
        known.link == link && known.isOf(Validator(head: head))
    }
}

extension HTTPResponseHead {
    /// Whether the body can be all of the resource.
    fileprivate var isWhole: Bool { status == 200 || status == 206 }

    /// Whether this is a web page in place of something else: however often it comes, it is not the file.
    fileprivate func isPage(inPlaceOf known: String?) -> Bool {
        let pages = ["text/html", "application/xhtml+xml"]
        return [mediaType, known].map { $0.map { pages.contains($0) } ?? false } == [true, false]
    }

    /// Whether anything says which version this is.
    fileprivate var saysVersion: Bool { Validator(head: self).saysVersion }

    /// Whether less than before says which resource this is.
    fileprivate func isLessCertain(than known: ResourceVersion) -> Bool {
        !saysVersion && known.validator?.isNothing != true
            || origin != known.origin
    }

    fileprivate var origin: String? { Origin(url: url)?.description }
}

extension Validator? {
    /// Whether anything says which version it is.
    fileprivate var saysVersion: Bool { self.map { !$0.isNothing } ?? false }
}
