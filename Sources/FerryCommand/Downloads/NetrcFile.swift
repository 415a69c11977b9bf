/// A file of names and passwords for servers, as ftp(1), curl and wget read it.
struct NetrcFile: Hashable, Sendable {
    /// A name and a password.
    struct Login: Hashable, Sendable {
        /// The name.
        var name = ""
        /// The password.
        var password = ""
    }

    private struct Entry: Hashable {
        /// The server; nil for all.
        let machine: String?
        var login = Login()
    }

    /// The maximum size of a file in bytes.
    static let greatestByteCount = 1 << 20

    private var entries: [Entry] = []

    /// Reads a file; words that are not known are passed over.
    ///
    /// - Parameter text: The content.
    init(_ text: String) {
        var words = NetrcWords(String(text.withoutByteOrderMark))
        while let word = words.next() {
            let last = entries.indices.last
            switch word {
            case "machine":
                if let name = words.next(isValue: true) {
                    entries.append(Entry(machine: name.lowercased()))
                }
            case "default": entries.append(Entry(machine: nil))
            case "macdef": words.skipMacro()
            case "login":
                let name = words.next(isValue: true)
                if let last, let name { entries[last].login.name = name }
            case "password":
                let password = words.next(isValue: true)
                if let last, let password { entries[last].login.password = password }
            default: continue
            }
        }
    }

    /// Returns the name and password for a server, of the first entry that is for it; nil if there is none.
    ///
    /// - Parameters:
    ///   - host: The server's name.
    ///   - name: The name that is known already; nil for any.
    /// - Returns: The name and password.
    func login(for host: String, name: String? = nil) -> Login? {
        entries.first { entry in
            (entry.machine == host.lowercased() || entry.machine == nil)
                && name ?? entry.login.name == entry.login.name
        }?.login
    }
}

/// The words of a file of names and passwords.
private struct NetrcWords {
    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    /// Returns the next word, without its quotes and backslashes; nil at the end.
    ///
    /// - Parameter isValue: Whether it is a value, such as a password, rather than a word that may be a comment.
    /// - Returns: The word.
    mutating func next(isValue: Bool = false) -> String? {
        rest = rest.drop(while: \.isWhitespace)
        while !isValue, rest.first == "#" {
            rest = rest.drop { !$0.isNewline }.drop(while: \.isWhitespace)
        }
        guard let first = rest.first else { return nil }
        guard first == "\"" else {
            let word = rest.prefix { !$0.isWhitespace }
            rest = rest[word.endIndex...]
            return String(word)
        }
        rest.removeFirst()
        var word = ""
        while let character = rest.popFirst(), character != "\"" {
            word.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        return word
    }

    /// Passes over the lines of a macro, which an empty line ends.
    mutating func skipMacro() {
        while !rest.isEmpty {
            rest = rest.drop { !$0.isNewline }.dropFirst()
            if rest.first?.isNewline != false { return }
        }
    }
}
