import Ferry
import Foundation

/// A name that a file may have in any directory: one component, visible, harmless in a shell.
///
/// URLs and servers propose names, and both may be hostile. A proposed name never leads out of a directory, never
/// makes a hidden file, and never contains characters that control a terminal.
struct FileName: Hashable, Sendable {
    /// The name of a file for which there is no usable proposal.
    static let fallback = FileName(text: "download")

    /// The number of bytes that Linux file systems allow a name (NAME_MAX).
    static let longestByteCount = 255

    /// The maximum length of a proposed name, which leaves room for a number within ``longestByteCount``.
    private static let maximumByteCount = 240

    /// The name.
    let text: String

    private init(text: String) {
        self.text = text
    }

    /// Creates a name from a proposal; nil when nothing usable is left of it.
    ///
    /// - Parameter proposal: The proposal: a name, or a path of which the last component counts.
    init?(proposal: String) {
        // By scalars: a slash with an accent is another character, but still a slash to the kernel.
        let components = proposal.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        guard let component = components.last else { return nil }
        // A leading dot hides a file, a dash turns it into an option, and the others get lost.
        let trimmed = component.filter { !$0.isInvisible }
            .drop { $0 == "." || $0 == "-" || $0.properties.isWhitespace }
        let end = trimmed.lastIndex { !$0.properties.isWhitespace && $0 != "." }
        guard let end else { return nil }
        text = Self.bounded(String(trimmed[...end]), to: Self.maximumByteCount)
    }

    /// Creates a name that the user chose, which may be that of a hidden file.
    ///
    /// - Parameter name: One component.
    init(chosen name: String) {
        text = name
    }

    /// Creates the name that a response proposes, or else the one its URL ends in, or else ``fallback``.
    ///
    /// - Parameters:
    ///   - contentDisposition: The value of the response's Content-Disposition field, if it has one.
    ///   - url: The requested URL.
    init(contentDisposition: String?, url: URL?) {
        let proposals = [
            contentDisposition.flatMap(ContentDisposition.fileName(in:)),
            url.flatMap(Self.lastComponent(of:)),
        ]
        self =
            proposals.lazy.compactMap { $0 }.compactMap { FileName(proposal: $0) }.first
            ?? .fallback
    }

    /// Returns the name to try after others were taken, such as `name.1`.
    ///
    /// A name without room for the number is shortened.
    ///
    /// - Parameter number: The number of names that were taken.
    /// - Returns: The name.
    func numbered(_ number: Int) -> String {
        guard number > 0 else { return text }
        let suffix = ".\(number)"
        return Self.bounded(text, to: Self.longestByteCount - suffix.utf8.count) + suffix
    }

    private static func lastComponent(of url: URL) -> String? {
        let path = url.path(percentEncoded: true)
        guard let component = path.split(separator: "/").last else { return nil }
        // A percent-encoded slash is part of the name's proposal, and so a separator to drop.
        return component.removingPercentEncoding ?? String(component)
    }

    /// Returns the name, shortened at the end of its stem, so that the extension is kept.
    private static func bounded(_ name: String, to maximumByteCount: Int) -> String {
        guard name.utf8.count > maximumByteCount else { return name }
        var suffix = ""
        if let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), name[dot...].utf8.count <= 16 {
            suffix = String(name[dot...])
        }
        // By scalars: a single character may have more accents than fit.
        var stem = Substring(name.utf8.dropLast(suffix.utf8.count)).unicodeScalars
        var byteCount = name.utf8.count
        while byteCount > maximumByteCount { byteCount -= UTF8.width(stem.removeLast()) }
        return String(stem) + suffix
    }
}
