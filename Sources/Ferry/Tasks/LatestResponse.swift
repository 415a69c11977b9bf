import FerryHTTP
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

/// The latest response to a task, whose object is made on request.
///
/// Most apps never look at the response of a download, and Foundation's object costs more than everything else that a
/// short download needs in this process.
struct LatestResponse: Sendable {
    private var received: HTTPResponseHead?
    /// A response of a background session, as ferryd sends it.
    private var encoded: Encoded<Wire.Response>?
    private var made: URLResponse?

    /// Creates a response, or none yet.
    init(_ head: HTTPResponseHead? = nil) {
        received = head
    }

    /// Creates a response of a background session.
    init(_ response: Encoded<Wire.Response>) {
        encoded = response
    }

    /// Creates a response from an existing object.
    init(_ response: URLResponse) {
        made = response
    }

    /// Whether there is a response.
    var isThere: Bool { received != nil || encoded != nil || made != nil }

    private var head: HTTPResponseHead? {
        received ?? encoded?.value
    }

    /// Whether it may answer no request but the one that it was made for.
    var isForOneRequest: Bool { head?.isForOneRequest ?? false }

    /// The length of the body as the app gets it; `NSURLSessionTransferSizeUnknown` where it is not
    /// known, as for one that is decoded.
    var bodyByteCount: Int64 {
        if let head {
            return HTTPURLResponse.bodyByteCount(keepsCoding: !head.isDecoded) {
                head.fields.joinedValue(named: $0)
            }
        }
        guard let response = made as? HTTPURLResponse, !(response is ReceivedHTTPURLResponse) else {
            return made?.expectedContentLength ?? NSURLSessionTransferSizeUnknown
        }
        return HTTPURLResponse.bodyByteCount(keepsCoding: false) {
            response.value(forHTTPHeaderField: $0)
        }
    }

    /// Returns the same object for each call; nil before the first response, and when its URL cannot be read.
    mutating func get() -> URLResponse? {
        if made == nil { made = head.flatMap { HTTPURLResponse.make($0) } }
        return made
    }
}

extension [HTTPField] {
    /// Returns the value that an app sees for the fields of a name.
    fileprivate func joinedValue(named name: String) -> String? {
        let values = values(named: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension HTTPResponseHead {
    /// Whether the response may answer no request but the one that it was made for (RFC 9111 §5.2.2.5).
    var isForOneRequest: Bool { CacheControl(fields: fields).isNoStore }
}
