import FerryHTTP
import Foundation
import FoundationNetworking

extension HTTPURLResponse {
    /// The response that an app sees; nil when its URL cannot be read.
    ///
    /// Fields that came several times are joined by commas, RFC 9110 §5.3.
    static func make(_ head: HTTPResponseHead) -> HTTPURLResponse? {
        guard let url = URL(string: head.url) else { return nil }
        var fields: [String: String] = [:]
        for field in head.fields {
            let name = fields.keys.first { field.isNamed($0) } ?? field.name
            fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return HTTPURLResponse(
            url: url,
            statusCode: head.status,
            httpVersion: head.version,
            headerFields: fields
        )
    }
}
