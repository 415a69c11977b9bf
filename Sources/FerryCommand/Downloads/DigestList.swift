import Ferry
import Foundation

/// The digests of files, as sha256sum(1) and its siblings write them: `SHA256SUMS`, `MD5SUMS`.
///
/// A line has a digest, a blank, a blank or an asterisk, and the file's name, or `SHA256 (NAME) = DIGEST`. How many digits a
/// digest has says by which algorithm it is. Other lines, such as those of a signature, are passed over.
struct DigestList: Hashable, Sendable {
    /// The maximum size of a list in bytes.
    static let greatestByteCount = 64 << 20

    private static let algorithms: [Int: TransferOptions.Digest.Algorithm] = [
        32: .md5, 40: .sha1, 64: .sha256, 128: .sha512,
    ]

    private var digests: [String: TransferOptions.Digest] = [:]

    /// Reads a list.
    ///
    /// - Parameter bytes: The content.
    init(_ bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            guard let (name, digits) = Self.ofGNU(line) ?? Self.ofBSD(line),
                let algorithm = Self.algorithms[digits.utf8.count],
                let digest = TransferOptions.Digest(algorithm, hexadecimal: String(digits))
            else { continue }
            // A list may name a file by its path.
            let last = name.split(separator: "/").last ?? name
            digests[String(last)] = digests[String(last)] ?? digest
        }
    }

    /// Whether it has no digest.
    var isEmpty: Bool { digests.isEmpty }

    /// Returns the digest of a file; nil if it has none.
    func digest(of name: String) -> TransferOptions.Digest? { digests[name] }

    private static func ofGNU(_ line: Substring) -> (name: Substring, digits: Substring)? {
        let digits = line.prefix(while: \.isHexDigit)
        let rest = line[digits.endIndex...]
        guard rest.first == " ", let mark = rest.dropFirst().first, mark == " " || mark == "*"
        else { return nil }
        return (rest.dropFirst(2), digits)
    }

    private static func ofBSD(_ line: Substring) -> (name: Substring, digits: Substring)? {
        guard let opening = line.firstRange(of: " ("), let closing = line.ranges(of: ") = ").last
        else { return nil }
        guard opening.upperBound <= closing.lowerBound else { return nil }
        return (line[opening.upperBound..<closing.lowerBound], line[closing.upperBound...])
    }
}
