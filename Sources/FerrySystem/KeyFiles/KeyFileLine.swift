/// A line of a key file, the format that GLib reads: groups, `key=value`, comments.
///
/// GLib reads each line on its own. It refuses a whole file for one bad line, and does not tell the numbers of lines.
package enum KeyFileLine: Hashable, Sendable {
    /// The line is empty or a comment.
    case nothing
    /// The line begins a group, such as `[ferryd]`.
    case group(String)
    /// The line sets a key.
    case pair(key: String, value: String)

    /// Why a line cannot be read.
    package enum Failure: Error, Hashable, Sendable {
        /// GLib is missing.
        case libraryMissing
        /// The line is none of a key file.
        case malformed
    }

    /// Reads a line.
    ///
    /// - Parameter line: The line without its end.
    /// - Returns: The meaning of the line.
    /// - Throws: ``Failure``.
    package static func read(_ line: String) throws(Failure) -> KeyFileLine {
        guard let library = GLibLibrary.shared else { throw .libraryMissing }
        // A byte that GLib would take for the end.
        guard !line.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 }) else { throw .malformed }
        let file = KeyFile(library)
        let isGroup = line.drop { $0.isWhitespace }.first == "["
        guard file.load(isGroup ? line : "[\(anyGroup)]\n\(line)") else { throw .malformed }
        if isGroup { return file.startGroup.map { .group($0) } ?? .nothing }
        guard let key = file.key(of: anyGroup) else { return .nothing }
        guard let value = file.value(of: key, in: anyGroup) else { throw .malformed }
        return .pair(key: key, value: value)
    }

    private static let anyGroup = "group"
}

/// A key file in memory.
private struct KeyFile: ~Copyable {
    private let library: GLibLibrary
    private let file: OpaquePointer?

    init(_ library: GLibLibrary) {
        self.library = library
        file = library.new()
    }

    deinit { library.release(file) }

    /// Reads a text, and returns whether it is a key file.
    func load(_ text: String) -> Bool { library.load(file, text, text.utf8.count, 0, nil) != 0 }

    /// The name of the first group.
    var startGroup: String? { take(library.startGroup(file)) }

    /// Returns the only key of a group; nil if it has none.
    func key(of group: String) -> String? {
        var count = 0
        let keys = library.keys(file, group, &count, nil)
        defer { library.freeTexts(keys) }
        return count > 0 ? keys?[0].map { String(cString: $0) } : nil
    }

    /// Returns the value of a key; nil if it cannot be read.
    func value(of key: String, in group: String) -> String? {
        take(library.string(file, group, key, nil))
    }

    private func take(_ text: GLibLibrary.OwnText?) -> String? {
        defer { library.free(text) }
        return text.map { String(cString: $0) }
    }
}
