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
        var proposal = proposal
        // By bytes: a slash with an accent is another character, but still a slash to the kernel.
        let component = proposal.withUTF8 { path in
            Self.lastComponent(of: path[...]) {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
            }
            .map { String(decoding: $0, as: UTF8.self) }
        }
        guard let component else { return nil }
        let scalars = component.unicodeScalars
        let visible = component.isPlain() ? scalars : scalars.filter { !$0.isInvisible }
        // A leading dot hides a file, a dash turns it into an option, and the others get lost.
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
            ?? address.flatMap(Self.pathEnd(of:)).flatMap { FileName(proposal: $0) }
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
    private static func pathEnd(of address: String) -> String? {
        var address = address
        let component = address.withUTF8 { address -> String? in
            let path = address.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            func last(before end: Int) -> Slice<UnsafeBufferPointer<UInt8>>? {
                lastComponent(of: path[..<end]) { $0 == UInt8(ascii: "/") }
            }
            // What only the scheme comes before is the host.
            guard let component = last(before: path.endIndex),
                let parent = last(before: component.startIndex), parent.startIndex > 0
            else { return nil }
            return String(decoding: component, as: UTF8.self)
        }
        // A percent-encoded slash is part of the name's proposal, and so a separator to drop.
        guard let component, component.utf8.contains(UInt8(ascii: "%")) else { return component }
        return component.removingPercentEncoding ?? component
    }

    /// Returns the last part of a path that is not empty.
    private static func lastComponent(
        of path: Slice<UnsafeBufferPointer<UInt8>>,
        separatedBy isSeparator: (UInt8) -> Bool
    ) -> Slice<UnsafeBufferPointer<UInt8>>? {
        guard let end = path.lastIndex(where: { !isSeparator($0) }) else { return nil }
        let separator = path[...end].lastIndex(where: isSeparator)
        return path[(separator.map { $0 + 1 } ?? path.startIndex)...end]
    }
}
