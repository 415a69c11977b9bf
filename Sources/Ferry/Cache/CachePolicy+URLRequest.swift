import FerryTransfer
import Foundation
import FoundationNetworking

extension CachePolicy {
    /// How a request is to be answered in a session.
    ///
    /// Foundation does not report whether a request's policy was set, so its default counts as not set.
    init(_ request: URLRequest, configuration: borrowing URLSessionConfiguration.Values) {
        let own = request.cachePolicy
        self.init(own == .useProtocolCachePolicy ? configuration.requestCachePolicy : own)
    }

    /// Translates Apple's name.
    init(_ policy: NSURLRequest.CachePolicy) {
        switch policy {
        case .useProtocolCachePolicy: self = .useProtocolCachePolicy
        case .reloadIgnoringLocalCacheData: self = .reloadIgnoringLocalCacheData
        case .reloadIgnoringLocalAndRemoteCacheData: self = .reloadIgnoringLocalAndRemoteCacheData
        case .returnCacheDataElseLoad: self = .returnCacheDataElseLoad
        case .returnCacheDataDontLoad: self = .returnCacheDataDontLoad
        case .reloadRevalidatingCacheData: self = .reloadRevalidatingCacheData
        }
    }

    /// Whether a stored response may be used in any way.
    var allowsStored: Bool {
        self != .reloadIgnoringLocalCacheData && self != .reloadIgnoringLocalAndRemoteCacheData
    }
}
