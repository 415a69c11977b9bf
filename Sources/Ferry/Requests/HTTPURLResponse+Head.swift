import FerryHTTP
import Foundation
import FoundationNetworking

extension HTTPURLResponse {
    /// Returns the response that an app sees; nil if its URL cannot be read.
    ///
    /// Repeated fields are joined by commas, RFC 9110 §5.3.
    static func make(_ head: HTTPResponseHead) -> HTTPURLResponse? {
        guard let url = URL(string: head.url) else { return nil }
        let response = ReceivedHTTPURLResponse(
            url: url,
            statusCode: head.status,
            httpVersion: head.version,
            headerFields: joined(head.fields)
        )
        response?.keepsCoding = !head.isDecoded
        return response
    }

    /// Returns the value of each field; those of repeated fields are joined.
    private static func joined(_ fields: [HTTPField]) -> [String: String] {
        var values: [String: String] = Dictionary(minimumCapacity: fields.count)
        if areDifferent(fields) {
            for field in fields { values[field.name] = field.value }
            return values
        }
        var names: [String: String] = Dictionary(minimumCapacity: fields.count)
        for field in fields {
            let key = field.name.lowercased()
            if let name = names[key] {
                values[name, default: ""].append(", \(field.value)")
            } else {
                names[key] = field.name
                values[field.name] = field.value
            }
        }
        return values
    }

    /// Whether few fields have different names, as in nearly all responses; of many, none is compared with all others.
    ///
    /// Of a name that is not ASCII (RFC 9110 §5.1), that is unknown.
    private static func areDifferent(_ fields: [HTTPField]) -> Bool {
        guard fields.count <= 16 else { return false }
        for (index, field) in fields.enumerated()
        where !field.name.utf8.allSatisfy({ $0 < 0x80 })
            || fields[..<index].contains(where: { $0.isNamed(field.name) })
        {
            return false
        }
        return true
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
