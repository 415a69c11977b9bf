import Foundation
import FoundationNetworking

/// The body that a task sends.
enum DataBody: Sendable {
    /// The request's own body, if any.
    case inRequest
    /// These bytes.
    case data(Data)
    /// A file, as it is when the task is resumed.
    case file(URL)
    /// The bytes of the app's stream; if they must be sent again, the delegate provides a new stream.
    case stream(BodyStream)
    /// The bytes that the delegate provides.
    case onDemand

    /// Creates the body of a request that an app has made.
    init(of request: URLRequest) {
        if let stream = request.httpBodyStream {
            self = .stream(BodyStream(stream))
        } else {
            self = .inRequest
        }
    }

    /// Returns the number of bytes; nil if it is not known in advance, as for a file before it is opened, since its
    /// lookup may block.
    func byteCount(for request: URLRequest) -> Int64? {
        switch self {
        case .inRequest: Int64(request.httpBody?.count ?? 0)
        case .data(let data): Int64(data.count)
        case .file: nil
        case .stream, .onDemand: request.announcedBodyByteCount
        }
    }

    /// Returns the request as an app's protocol class receives it: with the body as a stream.
    ///
    /// A body that the delegate provides on demand is not included.
    func attached(to request: URLRequest) -> URLRequest {
        var request = request
        switch self {
        case .inRequest, .stream: break
        case .data(let data): request.httpBodyStream = InputStream(data: data)
        case .file(let url): request.httpBodyStream = InputStream(url: url)
        case .onDemand: request.httpBody = nil
        }
        return request
    }

    /// Returns whether the body is known to be empty.
    func isEmpty(for request: URLRequest) -> Bool { byteCount(for: request) == 0 }

    var isInRequest: Bool {
        if case .inRequest = self { true } else { false }
    }

    /// The file that is sent, if any.
    var file: URL? {
        if case .file(let url) = self { url } else { nil }
    }
}

extension URLRequest {
    /// The length of a stream, as announced by the app in a header field.
    var announcedBodyByteCount: Int64? {
        value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap {
            $0 < 0 ? nil : $0
        }
    }
}
