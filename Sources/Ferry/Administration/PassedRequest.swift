import FerryWire
import Foundation
package import FoundationNetworking

/// A request that becomes a `URLRequest` when it is asked for: that takes Foundation longer than all the rest of a
/// transfer.
package struct PassedRequest: Hashable, Sendable {
    private enum Form {
        case passedOn(Encoded<Wire.Request>)
        case made(URLRequest)
    }

    private let form: Form

    /// A request as the daemon passes it on.
    init(_ request: Encoded<Wire.Request>) { form = .passedOn(request) }

    /// A request that is there.
    package init(_ request: URLRequest) { form = .made(request) }

    /// The request.
    var request: URLRequest {
        switch form {
        case .passedOn(let request): URLRequest(request)
        case .made(let request): request
        }
    }

    /// The request's address, without making the request; nil if it has none.
    var address: String? {
        switch form {
        case .passedOn(let request): request.url
        case .made(let request): request.url?.absoluteString
        }
    }

    /// Whether two requests are equal, whichever of them are made.
    package static func == (one: Self, other: Self) -> Bool { one.request == other.request }

    /// Adds the request to a hash.
    package func hash(into hasher: inout Hasher) { hasher.combine(request) }
}
