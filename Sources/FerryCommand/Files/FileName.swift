import Ferry
import FerrySystem
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
    /// Whether the user chose it: then it stays as it is.
    private var isChosen = false

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
        let visible =
            component.contains(where: \.isInvisible)
            ? component.filter { !$0.isInvisible } : component
        let trimmed = visible.drop { $0 == "." || $0 == "-" || $0.isSpace }
        let end = trimmed.lastIndex { !$0.isSpace && $0 != "." }
        guard let end else { return nil }
        text = FileNameLength.bounded(String(trimmed[...end]), to: Self.maximumByteCount)
    }

    /// Creates a name that the user chose, which may be that of a hidden file.
    ///
    /// - Parameter name: One component.
    init(chosen name: String) {
        text = name
        isChosen = true
    }

    /// Creates the name that a response proposes, or else the one its URL ends in, or else ``fallback``.
    ///
    /// - Parameters:
    ///   - contentDisposition: The value of the response's Content-Disposition field, if it has one.
    ///   - address: The requested URL.
    init(contentDisposition: String?, address: String?) {
        self.init(contentDisposition.flatMap { ContentDisposition.fileName(in: $0) }, address)
    }

    /// Creates the name that a response proposes, or else the one its URL ends in, or else ``fallback``.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - url: The requested URL.
    init(proposedBy response: HTTPURLResponse?, url: URL?) {
        self.init(
            response.flatMap(ContentDisposition.fileName(proposedBy:)),
            url?.absoluteString
        )
    }

    private init(_ proposal: String?, _ address: String?) {
        self =
            proposal.flatMap { FileName(proposal: $0) }
            ?? address.flatMap(Self.lastComponent(of:)).flatMap { FileName(proposal: $0) }
            ?? .fallback
    }

    /// Returns the name to try after others were taken, such as `name.1`.
    ///
    /// A name without room for the number is shortened.
    ///
    /// - Parameters:
    ///   - number: The number of names that were taken.
    ///   - names: The names that the file system takes; nil for those of Linux's own file systems.
    /// - Returns: The name.
    func numbered(_ number: Int, _ names: FileSystemNames? = nil) -> String {
        guard number > 0 else { return text }
        let suffix = ".\(number)"
        let limit = min(Self.longestByteCount, names?.greatestByteCount ?? Self.longestByteCount)
        return FileNameLength.bounded(text, to: limit - suffix.utf8.count) + suffix
    }

    /// Returns the names to try in turn, until the file system takes one.
    ///
    /// A name that the user chose has no other spelling.
    ///
    /// - Parameter names: The names that the file system takes.
    /// - Returns: The names, at least one.
    func spellings(for names: FileSystemNames) -> [FileName] {
        if isChosen { return [self] }
        // As above, with room for a number.
        let limit = min(Self.maximumByteCount, names.greatestByteCount - 15)
        let own = FileName(text: FileNameLength.bounded(text, to: limit))
        let portable = Self.portable(text, limit) { $0 }
        let plain = Self.portable(text, min(limit, 100)) { $0.isASCII ? $0 : "_" }
        var all = names.reading == .windows ? [] : [own]
        for name in [portable, plain, .fallback] where !all.contains(name) { all.append(name) }
        return all
    }

    /// Returns a name without what Windows's file systems refuse or drop.
    private static func portable(
        _ name: String,
        _ limit: Int,
        _ replace: (Unicode.Scalar) -> Unicode.Scalar
    ) -> FileName {
        let scalars = name.unicodeScalars.map {
            FileSystemNames.isReserved($0) ? "_" : replace($0)
        }
        let whole = FileNameLength.bounded(String(String.UnicodeScalarView(scalars)), to: limit - 1)
        let end = whole.lastIndex { $0 != "." && !$0.isWhitespace }
        guard let end else { return .fallback }
        let stem = whole.prefix { $0 != "." }.uppercased()
        return FileName(text: (devices.contains(stem) ? "_" : "") + whole[...end])
    }

    /// The names of devices in each directory of Windows, with any extension.
    private static let devices = Set(
        ["CON", "PRN", "AUX", "NUL"] + (0...9).flatMap { ["COM\($0)", "LPT\($0)"] }
    )

    /// Returns the last component of the path of a URL, whose text is not taken apart any further.
    private static func lastComponent(of address: String) -> String? {
        let slash = UInt8(ascii: "/")
        var path = address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        while path.last == slash { path.removeLast() }
        // What only the scheme comes before is the host.
        guard let start = path.lastIndex(of: slash),
            let end = path[..<start].lastIndex(where: { $0 != slash }),
            path[...end].contains(slash)
        else { return nil }
        let component = Substring(path[path.index(after: start)...])
        // A percent-encoded slash is part of the name's proposal, and so a separator to drop.
        guard component.utf8.contains(UInt8(ascii: "%")) else { return String(component) }
        return component.removingPercentEncoding ?? String(component)
    }
}
