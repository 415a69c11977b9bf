import Foundation

/// What a command's options send with a request: a form, or anything else, as its body or in the query of its URL.
struct RequestBody: Hashable, Sendable {
    private static let data = OptionSyntax(
        "data",
        value: "DATA",
        help:
            "send this by POST, as forms are sent, and only once unless --retries says otherwise; "
            + "'@FILE' is the content of a file, of at most 1 MiB"
    )
    private static let encodedData = OptionSyntax(
        "data-urlencode",
        value: "NAME=VALUE",
        help: "the same, with the value encoded as a URL needs it; 'NAME@FILE' has that of a file"
    )
    private static let form = OptionSyntax(
        "form",
        letter: "F",
        value: "NAME=VALUE",
        help:
            "send a form in several parts (multipart/form-data); 'NAME=@FILE' sends a file, with ';type=TYPE' after it one of "
            + "that type"
    )
    private static let get = OptionSyntax(
        "get",
        letter: "G",
        help: "put what --data and --data-urlencode say into the URL, and send nothing"
    )
    private static let query = OptionSyntax(
        "url-query",
        value: "NAME=VALUE",
        help: "add this to the query of the URL, with the value encoded"
    )

    /// The options.
    static let options = [data, encodedData, form, get, query]
    /// The options that have files read, or say what is sent.
    static let ofFiles: Set = [data, encodedData, form, get]
    /// The options of which each value counts, rather than the last one.
    static let repeated: Set = [query]

    private static let greatestByteCount = 1 << 20

    /// The bytes; nil for none.
    let content: Data?
    /// The media type of the bytes.
    let mediaType: String
    private let query: String

    /// Reads a command's options.
    ///
    /// - Parameters:
    ///   - arguments: The options.
    ///   - shared: A body whose bytes are used; nil to read the files that the options name.
    /// - Throws: ``UsageError`` when an option is invalid.
    init(_ arguments: Arguments, sharing shared: RequestBody? = nil) throws(UsageError) {
        let added = arguments.values(of: Self.query).map { Self.encoded($0) }
        if let shared {
            content = shared.content
            mediaType = shared.mediaType
            query = (added + [shared.query]).filter { !$0.isEmpty }.joined(separator: "&")
            return
        }
        let parts = try Self.parts(arguments)
        let form = arguments.values(of: Self.form)
        guard parts.isEmpty || form.isEmpty else {
            throw arguments.error("--form and --data exclude each other.")
        }
        if arguments.has(Self.get) {
            guard form.isEmpty else {
                throw arguments.error("--form and --get exclude each other.")
            }
            let texts = parts.map { String(decoding: $0, as: UTF8.self) }
            query = (added + texts).joined(separator: "&")
            (content, mediaType) = (nil, "")
        } else if form.isEmpty {
            query = added.joined(separator: "&")
            content = parts.isEmpty ? nil : Data(parts.joined(separator: Data("&".utf8)))
            mediaType = "application/x-www-form-urlencoded"
        } else {
            query = added.joined(separator: "&")
            let boundary = "ferry-\(UUID().uuidString.lowercased())"
            content = try Self.multipart(form, boundary, arguments)
            mediaType = "multipart/form-data; boundary=\(boundary)"
        }
        guard content?.count ?? 0 <= Self.greatestByteCount else {
            throw arguments.error("the data is longer than 1 MiB; 'ferry put' sends files.")
        }
    }

    /// Returns a URL with what is added to its query.
    func url(_ url: URL) -> URL {
        guard !query.isEmpty, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return url }
        let present = parts.percentEncodedQuery.flatMap { $0.isEmpty ? nil : $0 }
        let whole = [present, query].compactMap { $0 }.joined(separator: "&")
        // What is not encoded is encoded here, so that nothing that is typed leads to another URL.
        parts.percentEncodedQuery = whole.addingPercentEncoding(withAllowedCharacters: Self.inQuery)
        return parts.url ?? url
    }

    private static let inQuery = CharacterSet.urlQueryAllowed.union(["%"])
    private static let inValue = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )

    /// Returns the parts of --data and --data-urlencode.
    private static func parts(_ arguments: Arguments) throws(UsageError) -> [Data] {
        let plain = try arguments.values(of: data).map { text throws(UsageError) in
            text.hasPrefix("@")
                ? Data(try content(String(text.dropFirst()), data, arguments)) : Data(text.utf8)
        }
        let encoded = try arguments.values(of: encodedData).map { text throws(UsageError) in
            try Self.encodedPart(text, arguments)
        }
        return plain + encoded
    }

    /// As curl has it: `VALUE`, `=VALUE`, `NAME=VALUE`, `@FILE`, `NAME@FILE`; of what follows the first sign, the rest is value.
    private static func encodedPart(
        _ text: String,
        _ arguments: Arguments
    ) throws(UsageError) -> Data {
        guard let sign = text.firstIndex(where: { $0 == "=" || $0 == "@" }), text[sign] == "@"
        else {
            return Data(encoded(text).utf8)
        }
        let path = String(text[text.index(after: sign)...])
        let value = percentEncoded(try content(path, encodedData, arguments))
        let name = text[..<sign]
        return Data((name.isEmpty ? value : "\(name)=\(value)").utf8)
    }

    private static func encoded(_ text: String) -> String {
        guard let sign = text.firstIndex(of: "=") else { return percentEncoded(Array(text.utf8)) }
        let value = percentEncoded(Array(text[text.index(after: sign)...].utf8))
        return sign == text.startIndex ? value : "\(text[..<sign])=\(value)"
    }

    private static func percentEncoded(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII, inValue.contains(scalar) { return String(Character(scalar)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "%0\(digits)" : "%\(digits)"
        }.joined()
    }

    private static func content(
        _ path: String,
        _ option: OptionSyntax,
        _ arguments: Arguments
    ) throws(UsageError) -> [UInt8] {
        try arguments.content(of: path, for: option, limit: greatestByteCount)
    }

    /// Returns a form in several parts (RFC 7578).
    private static func multipart(
        _ fields: [String],
        _ boundary: String,
        _ arguments: Arguments
    ) throws(UsageError) -> Data {
        var body = Data()
        for field in fields {
            guard let sign = field.firstIndex(of: "="), sign != field.startIndex else {
                throw arguments.error("--form needs NAME=VALUE or NAME=@FILE, not '\(field)'.")
            }
            let value = field[field.index(after: sign)...]
            var head = "Content-Disposition: form-data; name=\(quoted(field[..<sign]))"
            var content = Array(value.utf8)
            if value.hasPrefix("@") {
                let file = value.dropFirst().split(separator: ";", omittingEmptySubsequences: false)
                let path = String(file[0])
                let type = file.dropFirst().first { $0.hasPrefix("type=") }?.dropFirst(5)
                guard type?.contains(where: \.isNewline) != true else {
                    throw arguments.error("the type of --form has a line break in it.")
                }
                content = try Self.content(path, form, arguments)
                let name = URL(filePath: path).lastPathComponent
                head += "; filename=\(quoted(name[...]))\r\n"
                head += "Content-Type: \(type ?? "application/octet-stream")"
            }
            body += Data("--\(boundary)\r\n\(head)\r\n\r\n".utf8) + content + Data("\r\n".utf8)
        }
        return body + Data("--\(boundary)--\r\n".utf8)
    }

    /// As browsers do (the HTML standard, "multipart/form-data").
    private static func quoted(_ text: Substring) -> String {
        let escaped = text.replacing("\"", with: "%22").replacing("\r", with: "%0D")
            .replacing("\n", with: "%0A")
        return "\"\(escaped)\""
    }
}
