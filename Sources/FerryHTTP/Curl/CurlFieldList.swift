import CCurl

/// A list of lines, such as those of a header, in libcurl's form, freed with this object.
final class CurlFieldList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// Makes a list of lines.
    init(_ lines: [String]) throws(HTTPError) {
        var last: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            // libcurl would look for the end of the list each time.
            guard let next = line.withCString({ curl_slist_append(nil, $0) }) else {
                throw HTTPError(code: .outOfMemory, message: "No memory is left for the header")
            }
            if let last { last.pointee.next = next } else { first = next }
            last = next
        }
    }

    deinit {
        curl_slist_free_all(first)
    }

    /// The lines that make libcurl send a request's fields, and no others but its own `Host`,
    /// `Accept`, `User-Agent` and framing.
    static func lines(for request: HTTPRequest) -> [String] {
        // libcurl sets the framing itself.
        let names = ["Content-Length", "Transfer-Encoding", proxyFieldName]
        var lines: [String] = []
        lines.reserveCapacity(request.fields.count + 3)
        for field in request.fields where !names.contains(where: field.isNamed) {
            lines.append(line(field))
        }
        if request.fields.first(named: "Expect") == nil {
            // Otherwise a long body would wait a second for servers that do not know this field.
            lines.append("Expect:")
        }
        if request.fields.first(named: "Accept-Encoding") == nil {
            // Without the field a server may choose any coding (RFC 9110 §12.5.3).
            lines.append("Accept-Encoding: identity")
        }
        let isForm = request.method == "POST" && request.body?.isEmpty == false
        if !isForm, request.fields.first(named: "Content-Type") == nil {
            // libcurl labels every body as a form, which is right for POST alone.
            lines.append("Content-Type:")
        }
        return lines
    }

    /// The lines that are for a proxy, not for the server.
    ///
    /// - Parameters:
    ///   - request: The request, whose own field comes before another of its name.
    ///   - fields: The fields that all requests have for a proxy.
    /// - Returns: The lines.
    static func proxyLines(for request: HTTPRequest, adding fields: [HTTPField]) -> [String] {
        let own = request.fields.filter { $0.isNamed(proxyFieldName) }
        return (own + fields.filter { own.isEmpty || !$0.isNamed(proxyFieldName) }).map(line)
    }

    /// The field that is a secret between a client and its proxy.
    static let proxyFieldName = "Proxy-Authorization"

    private static func line(_ field: HTTPField) -> String {
        // A field without a value ends in a semicolon, as a colon would remove it.
        field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
    }
}
