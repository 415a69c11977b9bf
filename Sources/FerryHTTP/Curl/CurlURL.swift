import CCurl

/// A URL as libcurl reads it.
enum CurlURL {
    /// Rejects a URL that libcurl cannot request, before libcurl reads it: the message contains nothing of the URL but its
    /// scheme.
    static func check(_ url: String) throws(HTTPError) {
        guard PlainURL(url) == nil else { return }
        // A NUL would end the text early for libcurl.
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw HTTPError(code: .badURL, message: "The URL has a space or a control character")
        }
        guard let parser = curl_url() else {
            throw HTTPError(code: .outOfMemory, message: "No memory is left for a URL")
        }
        defer { curl_url_cleanup(parser) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS)
        let code = curl_url_set(parser, CURLUPART_URL, url, flags)
        switch code {
        case CURLUE_OK: break
        case CURLUE_BAD_SCHEME, CURLUE_UNSUPPORTED_SCHEME:
            throw HTTPError(code: .unsupportedURL, message: "The URL has no usable scheme")
        default:
            throw HTTPError(code: .badURL, message: String(cString: curl_url_strerror(code)))
        }
        var text: UnsafeMutablePointer<CChar>?
        curl_url_get(parser, CURLUPART_SCHEME, &text, 0)
        defer { curl_free(text) }
        let scheme = text.map { String(cString: $0).lowercased() } ?? ""
        guard scheme == "http" || scheme == "https" else {
            throw HTTPError(
                code: .unsupportedURL,
                message: "The scheme “\(scheme)” is not supported"
            )
        }
    }

    /// Returns the target of a request sent to the host itself (RFC 9112 §3.2.1 and §3.2).
    ///
    /// - Parameter url: A URL that has passed ``check(_:)``.
    /// - Returns: The path with the query, and the host with its port unless that is the scheme's default.
    /// - Throws: ``HTTPError/Code/badURL`` for a URL that has no host.
    static func target(of url: String) throws(HTTPError) -> (path: String, authority: String) {
        guard let parser = curl_url() else {
            throw HTTPError(code: .outOfMemory, message: "No memory is left for a URL")
        }
        defer { curl_url_cleanup(parser) }
        let code = curl_url_set(parser, CURLUPART_URL, url, UInt32(CURLU_PATH_AS_IS))
        guard code == CURLUE_OK, let host = part(CURLUPART_HOST, of: parser) else {
            throw HTTPError(code: .badURL, message: String(cString: curl_url_strerror(code)))
        }
        let query = part(CURLUPART_QUERY, of: parser).map { "?\($0)" } ?? ""
        let port = part(CURLUPART_PORT, of: parser, UInt32(CURLU_NO_DEFAULT_PORT))
        return (
            (part(CURLUPART_PATH, of: parser) ?? "/") + query, host + (port.map { ":\($0)" } ?? "")
        )
    }

    /// Returns the target of CONNECT: the host and its port, even if that is the scheme's default.
    static func tunnelTarget(of url: String) throws(HTTPError) -> String {
        guard let parser = curl_url() else {
            throw HTTPError(code: .outOfMemory, message: "No memory is left for a URL")
        }
        defer { curl_url_cleanup(parser) }
        let code = curl_url_set(parser, CURLUPART_URL, url, UInt32(CURLU_PATH_AS_IS))
        guard code == CURLUE_OK, let host = part(CURLUPART_HOST, of: parser),
            let port = part(CURLUPART_PORT, of: parser, UInt32(CURLU_DEFAULT_PORT))
        else { throw HTTPError(code: .badURL, message: String(cString: curl_url_strerror(code))) }
        return "\(host):\(port)"
    }

    private static func part(
        _ part: CURLUPart,
        of parser: OpaquePointer,
        _ flags: UInt32 = 0
    ) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        defer { curl_free(text) }
        guard curl_url_get(parser, part, &text, flags) == CURLUE_OK else { return nil }
        return text.map { String(cString: $0) }
    }

    /// The host of a URL, without the brackets of an IPv6 address.
    static func host(of url: String) -> String? {
        guard let parser = curl_url() else { return nil }
        defer { curl_url_cleanup(parser) }
        guard curl_url_set(parser, CURLUPART_URL, url, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK
        else { return nil }
        return part(CURLUPART_HOST, of: parser)?.withoutBrackets
    }
}

extension String {
    fileprivate var withoutBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
