import CCurl
import FerrySystem

/// A line of libcurl's log that says what libcurl reports nowhere else.
///
/// Lines are recognized by their beginning, in the words of all versions since 7.87; no other part of a line goes anywhere.
enum CurlLogLine: Equatable {
    /// Bytes have followed the end of a response.
    ///
    /// libcurl discards them. It then closes the connection if the response stated its length, but not after chunks or
    /// without a body, though the discarded bytes may be the start of a message whose rest is still on its way.
    case excess
    /// libcurl sends a request again that an HTTP/2 server has not processed, because it has refused the stream or wants
    /// HTTP/1.1 (RFC 9113 §7, §8.7).
    case refusal
    /// The request is sent on an HTTP/2 stream.
    case stream(UInt32)
    /// An HTTP/2 server leaves the connection; it has not processed streams above this one (RFC 9113 §6.8).
    case goAway(lastStream: UInt32)

    /// Reads a line; `nil` for any other.
    init?(_ line: UnsafeRawBufferPointer) {
        // Hundreds of lines say something else.
        guard let first = line.first, "ELRDUr[".utf8.contains(first) else { return nil }
        func begins(_ beginning: StaticString) -> Bool {
            beginning.withUTF8Buffer { line.starts(with: $0) }
        }
        func number(behind beginning: StaticString) -> (number: UInt32, rest: Substring)? {
            guard begins(beginning) else { return nil }
            let text = Substring(decoding: line[beginning.utf8CodeUnitCount...], as: UTF8.self)
            let digits = text.utf8.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            return UInt32(Substring(digits)).map { ($0, text[digits.endIndex...]) }
        }
        if begins("Excess found") || begins("Leftovers after chunking") {
            self = .excess
        } else if begins("REFUSED_STREAM, retrying") || begins("Downgrades to HTTP/1.1") {
            self = .refusal
        } else if begins("recveived GOAWAY") || begins("received GOAWAY") {
            // The line is rare, and the search takes long.
            let text = String(decoding: line, as: UTF8.self)
            guard let place = text.firstRange(of: "last_stream="),
                let last = UInt32(text[place.upperBound...].prefix { $0.isASCII && $0.isNumber })
            else { return nil }
            self = .goAway(lastStream: last)
        } else if let (stream, _) = number(behind: "Using Stream ID: ") {
            self = .stream(stream)
        } else if let (stream, rest) = number(behind: "[HTTP/2] ["),
            rest.hasPrefix("] OPENED stream for ")
        {
            self = .stream(stream)
        } else {
            return nil
        }
    }
}

extension CurlEasy {
    /// Reads libcurl's log for the exchange.
    func followLog() {
        guard let exchange else { return }
        CCurl_easy_set_debug_function(handle, didLog)
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        CCurl_easy_setopt_pointer(handle, CURLOPT_DEBUGDATA, context)
        CCurl_easy_setopt_long(handle, CURLOPT_VERBOSE, 1)
    }
}

private func didLog(
    _ easy: UnsafeMutableRawPointer,
    _ kind: curl_infotype,
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard kind == CURLINFO_TEXT, let context,
        let line = CurlLogLine(UnsafeRawBufferPointer(start: bytes, count: count))
    else { return 0 }
    if line == .excess { CCurl_easy_setopt_long(easy, CURLOPT_FORBID_REUSE, 1) }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(context)
    LoopActor.assumeIsolated { exchange.takeUnretainedValue().logged(line) }
    return 0
}
