import FerryHTTP
import Foundation
import FoundationNetworking

extension HTTPURLResponse {
    /// The response that an app sees; nil when its URL cannot be read.
    ///
    /// Fields that came several times are joined by commas, RFC 9110 §5.3.
    static func make(_ head: HTTPResponseHead) -> HTTPURLResponse? {
        guard let url = URL(string: head.url) else { return nil }
        var names: [String: String] = [:]
        var values: [String: [String]] = [:]
        // A server may send very many: none is compared with all others.
        for field in head.fields {
            let key = field.name.lowercased()
            let name = names[key] ?? field.name
            names[key] = name
            values[name, default: []].append(field.value)
        }
        let fields = values.mapValues { $0.joined(separator: ", ") }
        return HTTPURLResponse(
            url: url,
            statusCode: head.status,
            httpVersion: head.version,
            headerFields: fields
        )
    }
}
