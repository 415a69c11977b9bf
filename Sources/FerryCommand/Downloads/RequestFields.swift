import Ferry
import Foundation
@preconcurrency import Glibc

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
        help:
            "send this header field, or those in the lines of @FILE; not to another server after a redirect"
    )
    private static let request = OptionSyntax(
        "request",
        letter: "X",
        value: "METHOD",
        help: "make the request by this method"
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
        help:
            "log in to the server with this name and password, by the Basic scheme; a password that is missing is asked for"
    )

    private static let netrc = OptionSyntax(
        "netrc",
        letter: "n",
        help: "log in with the name and password that ~/.netrc has for the server"
    )
    private static let netrcFile = OptionSyntax(
        "netrc-file",
        value: "FILE",
        help: "the same with this file"
    )
    private static let cookie = OptionSyntax(
        "cookie",
        letter: "b",
        value: "'NAME=VALUE'",
        help:
            "send these cookies, or those that a file in Netscape's format has for the URL and its redirects"
    )

    private static let junkSessionCookies = OptionSyntax(
        "junk-session-cookies",
        help: "leave out those of a file of cookies that end with the session"
    )

    private static let noCookies = OptionSyntax(
        "no-cookies",
        help: "do not send a cookie of a redirect back within its transfer"
    )

    /// The options of a command that makes requests.
    static let options = [
        request, header, userAgent, referer, user, netrc, netrcFile, cookie, junkSessionCookies,
        noCookies,
    ]
    /// The options of which each value counts, rather than the last one.
    static let repeated: Set = [header]
    /// The options that have files read, and say what is sent of them.
    static let ofFiles: Set = [netrc, netrcFile, cookie]

    /// Whether a value has a file read, or a person asked.
    static func isIncomplete(_ value: String, of option: OptionSyntax) -> Bool {
        option == header && value.hasPrefix("@") || option == user && !value.contains(":")
    }

    /// The method; nil for the usual one.
    let method: String?
    private let cookies: Cookies?
    private let logins: NetrcFile?
    private var fields: [Field]
    private let handlesCookies: Bool
    /// The name and the password that was asked for.
    private var asked: String?

    private enum Cookies: Hashable {
        case text(String)
        case file(CookieFile)
    }

    /// Reads a command's options; a field of `--header` replaces what another option says of its name.
    ///
    /// - Parameters:
    ///   - arguments: The options.
    ///   - shared: The fields whose cookies and logins are used; nil to read the files that the options name.
    /// - Throws: ``UsageError`` when an option is invalid.
    init(_ arguments: Arguments, sharing shared: RequestFields? = nil) throws(UsageError) {
        method = arguments.value(of: Self.request)
        guard method.map(Self.isToken) != false else {
            throw arguments.error("'\(method ?? "")' is no method of HTTP.")
        }
        cookies = if let shared { shared.cookies } else { try Self.cookies(arguments) }
        logins = if let shared { shared.logins } else { try Self.logins(arguments) }
        handlesCookies = !arguments.has(Self.noCookies)
        fields = []
        for text in arguments.values(of: Self.header) {
            fields += try Self.lines(text, arguments).map { line throws(UsageError) in
                try Self.field(line, arguments)
            }
        }
        try add("User-Agent", arguments.value(of: Self.userAgent), Self.userAgent, arguments)
        try add("Referer", arguments.value(of: Self.referer), Self.referer, arguments)
        guard var user = arguments.value(of: Self.user) else { return }
        if !user.contains(":") {
            asked =
                try shared?.asked?.hasPrefix("\(user):") == true
                ? shared?.asked : Self.ask(user, arguments)
            user = asked ?? user
        }
        try add("Authorization", Self.basic(user), Self.user, arguments)
    }

    /// Sets the method of a request, and adds the fields to it.
    func apply(to request: inout URLRequest) {
        if let method { request.httpMethod = method }
        if !handlesCookies { request.httpShouldHandleCookies = false }
        for field in fields {
            if field.name.lowercased() == "cookie",
                let others = request.value(forHTTPHeaderField: field.name)
            {
                // The only field whose values are joined by a semicolon (RFC 6265 §4.2.1).
                request.setValue("\(others); \(field.value)", forHTTPHeaderField: field.name)
            } else {
                request.addValue(field.value, forHTTPHeaderField: field.name)
            }
        }
        func setIfMissing(_ name: String, _ value: String?) {
            guard let value, request.value(forHTTPHeaderField: name) == nil else { return }
            request.setValue(value, forHTTPHeaderField: name)
        }
        if case .text(let text) = cookies { setIfMissing("Cookie", text) }
        setIfMissing("Authorization", request.url.flatMap(login(for:)))
    }

    /// Returns the value of the field by which a file of logins has one for a URL, and the URL has none itself.
    private func login(for url: URL) -> String? {
        guard let logins, let host = url.host(), url.password() == nil else { return nil }
        let name = url.user(percentEncoded: false)
        return logins.login(for: host, name: name).map { Self.basic("\($0.name):\($0.password)") }
    }

    /// Returns the value of a field with a name and a password (RFC 7617).
    private static func basic(_ user: String) -> String {
        "Basic \(Data(user.utf8).base64EncodedString())"
    }

    private static func logins(_ arguments: Arguments) throws(UsageError) -> NetrcFile? {
        let limit = NetrcFile.greatestByteCount
        let content: [UInt8]
        if let path = arguments.value(of: netrcFile) {
            content = try arguments.content(of: path, for: netrcFile, limit: limit)
        } else if arguments.has(netrc) {
            let home = ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
            let path = "\(home)/.netrc"
            guard access(path, F_OK) == 0 else { return nil }
            content = try arguments.content(of: path, for: netrc, limit: limit)
        } else {
            return nil
        }
        return NetrcFile(String(decoding: content, as: UTF8.self))
    }

    private static func cookies(_ arguments: Arguments) throws(UsageError) -> Cookies? {
        let values = arguments.values(of: cookie)
        guard let text = values.last else { return nil }
        guard values.count == 1 || values.allSatisfy({ $0.contains("=") }) else {
            throw arguments.error("--cookie takes one file, or one and more 'NAME=VALUE'.")
        }
        guard !text.contains("=") else {
            let text = values.joined(separator: "; ")
            guard !text.contains(where: \.isNewline) else {
                throw arguments.error("the value of --cookie has a line break in it.")
            }
            return .text(text)
        }
        guard !arguments.has(noCookies) else {
            throw arguments.error("--no-cookies excludes the cookies of a file.")
        }
        let content = try arguments.content(
            of: text,
            for: cookie,
            limit: CookieFile.greatestByteCount
        )
        guard var file = CookieFile(content) else {
            throw arguments.error("--cookie '\(text)' is no file of cookies in Netscape's format.")
        }
        if arguments.has(junkSessionCookies) { file.removeThoseOfSessions() }
        return .file(file)
    }

    /// Returns the cookies of a file that a transfer may need: those of the site of its URL, for redirects as well.
    func cookies(for url: URL) -> [HTTPCookie] {
        guard case .file(let file) = cookies else { return [] }
        return file.cookies(near: url, at: Date()).compactMap { HTTPCookie.make($0) }
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

    /// Asks for a password at the terminal of the process, wherever standard input comes from.
    ///
    /// - Returns: The name and the password.
    private static func ask(
        _ name: String,
        _ arguments: Arguments
    ) throws(UsageError) -> String {
        // Without a terminal, getpass(3) would take a line of standard input.
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        defer { if terminal >= 0 { close(terminal) } }
        guard terminal >= 0, let password = getpass("Password of \(name.printable): ") else {
            throw arguments.error(
                "--user needs a name and a password with a colon between them, as there is no terminal to ask at; --netrc takes them from a file."
            )
        }
        return "\(name):\(String(cString: password))"
    }

    /// Returns the lines of a file that `@FILE` names, or the text itself.
    private static func lines(
        _ text: String,
        _ arguments: Arguments
    ) throws(UsageError) -> [String] {
        guard text.hasPrefix("@") else { return [text] }
        let path = String(text.dropFirst())
        let content = try arguments.content(of: path, for: header, limit: greatestByteCount)
        return String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map(String.init)
    }

    /// As much as a server takes, and more.
    private static let greatestByteCount = 1 << 20

    private static func field(_ text: String, _ arguments: Arguments) throws(UsageError) -> Field {
        let (name, value) = try parts(of: text, header, arguments)
        return Field(name: name, value: value)
    }

    /// Returns the name and the value of a header field.
    static func parts(
        of text: String,
        _ option: OptionSyntax,
        _ arguments: Arguments
    ) throws(UsageError) -> (name: String, value: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        // RFC 9110 §5.5: text without line breaks.
        guard parts.count == 2, isToken(parts[0]), !parts[1].contains(where: \.isNewline) else {
            throw arguments.error(
                "--\(option.name) needs 'NAME: VALUE', with a colon after a name without spaces."
            )
        }
        return (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
    }
}
