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
        let response = ReceivedHTTPURLResponse(
            url: url,
            statusCode: head.status,
            httpVersion: head.version,
            headerFields: fields
        )
        response?.keepsCoding = !head.isDecoded
        return response
    }

    /// Returns the length of a body as the app gets it; `NSURLSessionTransferSizeUnknown` if it is not known.
    ///
    /// `Content-Length` is the length before decoding, and says nothing about a body in chunks (RFC 9112 §6.3).
    ///
    /// - Parameters:
    ///   - keepsCoding: Whether the app gets the body in the coding that it has, if it has one.
    ///   - field: Returns the value of a header field, if the response has it.
    /// - Returns: The length.
    static func bodyByteCount(keepsCoding: Bool, _ field: (String) -> String?) -> Int64 {
        guard keepsCoding || (field("Content-Encoding") ?? "identity").lowercased() == "identity",
            field("Transfer-Encoding") == nil
        else { return NSURLSessionTransferSizeUnknown }
        return field("Content-Length").flatMap { Int64($0) } ?? NSURLSessionTransferSizeUnknown
    }
}
