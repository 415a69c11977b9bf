import FerryHTTP
import Foundation
import FoundationNetworking

/// The latest response to a task, which becomes an object when somebody asks for it.
///
/// Most apps never look at the response of a download, and Foundation's object costs more than the
/// rest of what a short one needs in this process.
struct LatestResponse: Sendable {
    private var head: HTTPResponseHead?
    private var made: URLResponse?

    /// A response, or none yet.
    init(_ head: HTTPResponseHead? = nil) {
        self.head = head
    }

    /// A response that is an object already.
    init(_ response: URLResponse) {
        made = response
    }

    /// Whether there is one.
    var isThere: Bool { head != nil || made != nil }

    /// The length of the body as the app gets it; `NSURLSessionTransferSizeUnknown` where it is not
    /// known, as for one that is decoded.
    var bodyByteCount: Int64 {
        if let fields = head?.fields {
            return Self.byteCount { fields.joinedValue(named: $0) }
        }
        guard let response = made as? HTTPURLResponse else {
            return made?.expectedContentLength ?? NSURLSessionTransferSizeUnknown
        }
        return Self.byteCount { response.value(forHTTPHeaderField: $0) }
    }

    private static func byteCount(_ field: (String) -> String?) -> Int64 {
        guard !HTTPURLResponse.isDecoded(field("Content-Encoding")) else {
            return NSURLSessionTransferSizeUnknown
        }
        return field("Content-Length").flatMap { Int64($0) } ?? NSURLSessionTransferSizeUnknown
    }

    /// The same object for each call; nil before the first response, and when its URL cannot be read.
    mutating func get() -> URLResponse? {
        if made == nil { made = head.flatMap { HTTPURLResponse.make($0) } }
        return made
    }
}

extension [HTTPField] {
    /// The value that an app sees of fields of that name.
    fileprivate func joinedValue(named name: String) -> String? {
        let values = values(named: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
