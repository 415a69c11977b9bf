import Ferry
import Foundation

/// The header fields that a command's options add to its requests.
struct RequestFields: Hashable, Sendable {
    private struct Field: Hashable {
        let name: String
        let value: String
    }

    private static let header = OptionSyntax(
        "header",
        letter: "H",
        value: "'NAME: VALUE'",
        help: "send this header field; not to another server after a redirect"
    )
    private static let userAgent = OptionSyntax(
        "user-agent",
        letter: "A",
        value: "NAME",
        help: "send this as the name of the program"
    )
    private static let referer = OptionSyntax(
        "referer",
        letter: "e",
        value: "URL",
        help: "send this as the address of the page with the link"
    )
    private static let user = OptionSyntax(
        "user",
        letter: "u",
        value: "NAME:PASSWORD",
        help: "log in to the server with this name and password, by the Basic scheme"
    )

    /// The options of a command that makes requests.
    static let options = [header, userAgent, referer, user]
    /// The options of which each value counts, rather than the last one.
    static let repeated: Set = [header]

    private var fields: [Field]

    /// Reads a command's options; a field of `--header` replaces what another option says of its name.
    init(_ arguments: Arguments) throws(UsageError) {
        fields = try arguments.values(of: Self.header).map { text throws(UsageError) in
            try Self.field(text, arguments)
        }
        try add("User-Agent", arguments.value(of: Self.userAgent), Self.userAgent, arguments)
        try add("Referer", arguments.value(of: Self.referer), Self.referer, arguments)
        guard let user = arguments.value(of: Self.user) else { return }
        guard user.contains(":") else {
            throw arguments.error("--user needs a name and a password with a colon between them.")
        }
        let credentials = Data(user.utf8).base64EncodedString()
        try add("Authorization", "Basic \(credentials)", Self.user, arguments)
    }

    /// Adds the fields to a request.
    func apply(to request: inout URLRequest) {
        for field in fields { request.addValue(field.value, forHTTPHeaderField: field.name) }
    }

    private mutating func add(
        _ name: String,
        _ value: String?,
        _ option: OptionSyntax,
        _ arguments: Arguments
    ) throws(UsageError) {
        guard let value, !fields.contains(where: { $0.name.lowercased() == name.lowercased() })
        else { return }
        guard !value.contains(where: \.isNewline) else {
            throw arguments.error("the value of --\(option.name) has a line break in it.")
        }
        fields.append(Field(name: name, value: value))
    }

    /// Whether a text is a token, such as a field's name or a method (RFC 9110 §5.6.2).
    static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0))
            }
    }

    private static func field(_ text: String, _ arguments: Arguments) throws(UsageError) -> Field {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0]
        // RFC 9110 §5.5: text without line breaks.
        guard parts.count == 2, isToken(name), !parts[1].contains(where: \.isNewline) else {
            throw arguments.error(
                "--header needs 'NAME: VALUE', with a colon after a name without spaces."
            )
        }
        return Field(name: String(name), value: parts[1].trimmingCharacters(in: .whitespaces))
    }
}
