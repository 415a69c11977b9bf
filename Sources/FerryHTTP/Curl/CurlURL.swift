import CCurl

/// A URL as libcurl reads it.
enum CurlURL {
    /// Refuses what libcurl could not request.
    static func check(_ url: String) throws(HTTPError) {
        guard let parser = curl_url() else {
            throw HTTPError(code: .outOfMemory, message: "No memory is left for a URL")
        }
        defer { curl_url_cleanup(parser) }
        // A NUL would end the text early for libcurl.
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw HTTPError(code: .badURL, message: "The URL has a space or a control character")
        }
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

    /// The host of a URL, without the brackets of an IPv6 address.
    static func host(of url: String) -> String? {
        guard let parser = curl_url() else { return nil }
        defer { curl_url_cleanup(parser) }
        guard curl_url_set(parser, CURLUPART_URL, url, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK
        else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        curl_url_get(parser, CURLUPART_HOST, &text, 0)
        defer { curl_free(text) }
        return text.map { String(cString: $0).trimmingBrackets }
    }
}

extension String {
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
