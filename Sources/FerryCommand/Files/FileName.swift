import Foundation

/// A name that a file may have in any directory: one component, visible, harmless in a shell.
///
/// URLs and servers propose names, and both may be hostile. What they say never leads out of a
/// directory, never makes a hidden file, and never carries characters that a terminal obeys.
struct FileName: Hashable, Sendable {
    /// What a file is called when nobody proposes anything usable.
    static let fallback = FileName(text: "download")

    /// Room for a number at the end within the 255 bytes that Linux file systems allow.
    private static let maximumByteCount = 240

    /// The name.
    let text: String

    private init(text: String) {
        self.text = text
    }

    /// A name out of a proposed one; nil when nothing usable is left of it.
    ///
    /// - Parameter proposal: The proposal: a name, or a path of which the last component counts.
    init?(proposal: String) {
        // Not by characters: a slash with an accent is another one, but still a slash to the kernel.
        let components = proposal.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        guard let component = components.last else { return nil }
        // A dot hides a file, a dash makes an option of it, the others get lost.
        let trimmed = component.filter { !$0.isInvisible }
            .drop { $0 == "." || $0 == "-" || $0.properties.isWhitespace }
        let end = trimmed.lastIndex { !$0.properties.isWhitespace && $0 != "." }
        guard let end else { return nil }
        text = Self.bounded(String(trimmed[...end]))
    }

    /// A name the user chose, who may well want a hidden file.
    ///
    /// - Parameter name: One component.
    init(chosen name: String) {
        text = name
    }

    /// The name a response proposes, else the one its URL ends in, else ``fallback``.
    ///
    /// - Parameters:
    ///   - contentDisposition: The value of the response's Content-Disposition field, if it has one.
    ///   - url: The URL that was asked for.
    init(contentDisposition: String?, url: URL?) {
        let proposals = [
            contentDisposition.flatMap(ContentDisposition.fileName(in:)),
            url.flatMap(Self.lastComponent(of:)),
        ]
        self =
            proposals.lazy.compactMap { $0 }.compactMap { FileName(proposal: $0) }.first
            ?? .fallback
    }

    /// The name to try after others were taken, such as `name.1`.
    ///
    /// - Parameter number: How many names were taken.
    /// - Returns: The name.
    func numbered(_ number: Int) -> String {
        number == 0 ? text : "\(text).\(number)"
    }

    private static func lastComponent(of url: URL) -> String? {
        let path = url.path(percentEncoded: true)
        guard let component = path.split(separator: "/").last else { return nil }
        // A percent-encoded slash is part of the name's proposal, and so a separator to drop.
        return component.removingPercentEncoding ?? String(component)
    }

    /// Shortened at the end of its stem, so that the extension still tells what it is.
    private static func bounded(_ name: String) -> String {
        guard name.utf8.count > maximumByteCount else { return name }
        var suffix = ""
        if let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), name[dot...].utf8.count <= 16 {
            suffix = String(name[dot...])
        }
        // Not by characters: one may have more accents than there is room for bytes.
        var stem = Substring(name.utf8.dropLast(suffix.utf8.count)).unicodeScalars
        var byteCount = name.utf8.count
        while byteCount > maximumByteCount { byteCount -= UTF8.width(stem.removeLast()) }
        return String(stem) + suffix
    }
}
