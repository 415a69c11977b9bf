import Foundation
import FoundationNetworking

/// What a task sends.
enum DataBody: Sendable {
    /// What the request has, if anything.
    case inRequest
    /// These bytes.
    case data(Data)
    /// A file, as it is when the task is resumed.
    case file(URL)
    /// What the app's stream gives; the delegate has more where it must be sent again.
    case stream(BodyStream)
    /// What the delegate gives.
    case onDemand

    /// The body of a request that an app has made.
    init(of request: URLRequest) {
        if let stream = request.httpBodyStream {
            self = .stream(BodyStream(stream))
        } else {
            self = .inRequest
        }
    }

    /// How many bytes that is; nil where it is not known before, as for a file before it is opened: to look at it may
    /// take its time.
    func byteCount(for request: URLRequest) -> Int64? {
        switch self {
        case .inRequest: Int64(request.httpBody?.count ?? 0)
        case .data(let data): Int64(data.count)
        case .file: nil
        case .stream, .onDemand: request.announcedBodyByteCount
        }
    }

    /// The request as a protocol class of the app's gets it: with what is sent as a stream.
    ///
    /// What the delegate gives on demand is not in it.
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

    /// Whether it is known that nothing is sent.
    func isEmpty(for request: URLRequest) -> Bool { byteCount(for: request) == 0 }

    var isInRequest: Bool {
        if case .inRequest = self { true } else { false }
    }

    /// The file that is sent, if it is one.
    var file: URL? {
        if case .file(let url) = self { url } else { nil }
    }
}

extension URLRequest {
    /// The length of a stream that the app has told in a header field.
    var announcedBodyByteCount: Int64? {
        value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap {
            $0 < 0 ? nil : $0
        }
    }
}
