import FerryHTTP
import Foundation
import FoundationNetworking

extension HTTPURLResponse {
    /// Returns the response that an app sees; nil if its URL cannot be read.
    ///
    /// Repeated fields are joined by commas, RFC 9110 §5.3.
    static func make(_ head: HTTPResponseHead) -> HTTPURLResponse? {
        guard let url = URL(string: head.url) else { return nil }
        var names: [String: String] = Dictionary(minimumCapacity: head.fields.count)
        var fields: [String: String] = Dictionary(minimumCapacity: head.fields.count)
        // A server may send very many fields: none is compared with all others, or copied for each.
        for field in head.fields {
            let key = field.name.lowercased()
            if let name = names[key] {
                fields[name, default: ""].append(", \(field.value)")
            } else {
                names[key] = field.name
                fields[field.name] = field.value
            }
        }
        guard !isDecoded(names["content-encoding"].flatMap { fields[$0] }) else {
            return DecodedHTTPURLResponse(
                url: url,
                statusCode: head.status,
                httpVersion: head.version,
                headerFields: fields
            )
        }
        return HTTPURLResponse(
            url: url,
            statusCode: head.status,
            httpVersion: head.version,
            headerFields: fields
        )
    }

    /// Returns whether the app gets a body with this field `Content-Encoding` decoded.
    static func isDecoded(_ contentEncoding: String?) -> Bool {
        (contentEncoding ?? "identity").lowercased() != "identity"
    }
}

/// A response whose body the app gets decoded, so that `Content-Length` is not its length.
final class DecodedHTTPURLResponse: HTTPURLResponse, @unchecked Sendable {
    // @unchecked as its superclass: nothing in it changes.
    override var expectedContentLength: Int64 { NSURLSessionTransferSizeUnknown }
}
