/// Parses the lines of a response's header, as libcurl delivers them, into heads.
///
/// The trailers of a chunked body are dropped, but they, and interim responses (1xx), count against
/// the limit.
struct ResponseHeadParser {
    /// The result of a line.
    enum Event: Equatable {
        case nothing
        case informational(HTTPResponseHead)
        case head(HTTPResponseHead)
        case failure(HTTPError)
    }

    private enum State {
        case awaitingStatusLine
        case inFields
        case complete
    }

    /// Whether a request for another protocol was sent, so that 101 is a final response to it.
    var acceptsProtocolSwitch = false

    private let url: String
    private let maximumByteCount: Int
    private var state = State.awaitingStatusLine
    private var byteCount = 0
    private var head: HTTPResponseHead

    init(url: String, maximumByteCount: Int) {
        self.url = url
        self.maximumByteCount = maximumByteCount
        head = HTTPResponseHead(status: 0, fields: [], url: url)
    }

    /// The final response's head, once it is complete.
    var completeHead: HTTPResponseHead? { state == .complete ? head : nil }

    /// Takes the next line, with its line break.
    mutating func append(_ line: UnsafeRawBufferPointer) -> Event {
        byteCount += line.count
        guard byteCount <= maximumByteCount else {
            let message = "The response's header exceeds \(maximumByteCount) bytes"
            return .failure(HTTPError(code: .headersTooLarge, message: message))
        }
        let text = line[...].trimmingSuffix { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        switch state {
        case .awaitingStatusLine:
            return text.isEmpty ? .nothing : appendStatusLine(text)
        case .inFields:
            if text.isEmpty { return endOfHead() }
            appendField(text)
            return .nothing
        case .complete:
            return .nothing
        }
    }

    private mutating func appendStatusLine(_ line: Slice<UnsafeRawBufferPointer>) -> Event {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") }
        let words = line.drop(while: isSpace)
        let version = words.prefix { !isSpace($0) }
        let code = words[version.endIndex...].drop(while: isSpace).prefix { !isSpace($0) }
        guard Self.isVersion(version), code.count == 3, let status = Int(Self.text(code)),
            (100...999).contains(status)
        else {
            let message = "The response's status line cannot be read"
            return .failure(HTTPError(code: .badServerResponse, message: message))
        }
        head = HTTPResponseHead(status: status, version: Self.text(version), fields: [], url: url)
        // Most responses have fewer.
        head.fields.reserveCapacity(16)
        state = .inFields
        return .nothing
    }

    /// Whether this is a version that libcurl reports correctly.
    ///
    /// libcurl writes HTTP/2 and 3 without a minor version. A response with `HTTP/2.0` has the form of
    /// HTTP/1.1 but claims to be another version (RFC 9112 §2.3).
    private static func isVersion(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        text.starts(with: "HTTP/".utf8)
            && (text.starts(with: "HTTP/1.".utf8) || !text.contains(UInt8(ascii: ".")))
    }

    private mutating func appendField(_ line: Slice<UnsafeRawBufferPointer>) {
        if let first = line.first, Self.isBlank(first) {
            appendContinuation(line)
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex {
            let value = line[line.index(after: colon)...].trimming(Self.isBlank)
            head.fields.append(
                HTTPField(name: Self.text(line[..<colon]), value: Self.text(value))
            )
        }
        // A line that is not a field is skipped, as other clients do (RFC 9112 §2.2).
    }

    /// RFC 9112 §5.2: a line that starts with white space continues the previous field.
    private mutating func appendContinuation(_ line: Slice<UnsafeRawBufferPointer>) {
        guard let last = head.fields.indices.last else { return }
        head.fields[last].value += " " + Self.text(line.trimming(Self.isBlank))
    }

    private mutating func endOfHead() -> Event {
        switch head.status {
        case 101 where !acceptsProtocolSwitch:
            // The bytes that follow would not be HTTP.
            let message = "The server switched to a protocol that was not requested"
            return .failure(HTTPError(code: .badServerResponse, message: message))
        case 100..<200 where head.status != 101:
            state = .awaitingStatusLine
            return .informational(head)
        default:
            if let message = lengthFailure {
                return .failure(HTTPError(code: .badServerResponse, message: message))
            }
            state = .complete
            return .head(head)
        }
    }

    /// The reason why the end of the body is unknown; `nil` if the lengths are valid.
    ///
    /// RFC 9112 §6.3: two lengths are an attempt to have the body read in two ways, whether in two fields or
    /// in one, and so is a length that is not a number. libcurl takes `5abc` for 5, and reads to the end of
    /// the connection if the number is too large for it: a truncated body would pass for a complete one.
    private var lengthFailure: String? {
        let values = head.fields.lazy.filter { $0.isNamed("Content-Length") }.map(\.value)
        // Nearly always there is a single number, and nothing to parse.
        if values.allSatisfy(Self.isShortNumber), values.dropFirst().isEmpty { return nil }
        var lengths: Set<Substring> = []
        for value in values.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) })
        {
            let words = value.utf8.split(whereSeparator: Self.isBlank)
            guard words.count == 1, words[0].allSatisfy(Self.isDigit),
                Int64(Substring(words[0])) != nil
            else {
                return "The response tells a length that is no number, or too large a one"
            }
            lengths.insert(Substring(words[0]))
        }
        return lengths.count > 1 ? "The response tells two different lengths" : nil
    }

    /// Whether this is a number that is no larger than any file.
    private static func isShortNumber(_ text: String) -> Bool {
        (1...18).contains(text.utf8.count) && text.utf8.allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Decodes UTF-8 if it is valid, and otherwise ISO 8859-1, in which every byte is a character.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        // Text is nearly always ASCII, and checking for ASCII is faster than validating UTF-8.
        if bytes.allSatisfy({ $0 < 0x80 }) {
            return String(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
        }
        return String(validating: bytes, as: UTF8.self)
            ?? String(decoding: bytes.map(UInt16.init), as: UTF16.self)
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate func trimmingSuffix(_ isSurplus: (UInt8) -> Bool) -> Self {
        var end = endIndex
        while end > startIndex, isSurplus(self[end - 1]) {
            end -= 1
        }
        return self[startIndex..<end]
    }

    fileprivate func trimming(_ isSurplus: (UInt8) -> Bool) -> Self {
        drop(while: isSurplus).trimmingSuffix(isSurplus)
    }
}
