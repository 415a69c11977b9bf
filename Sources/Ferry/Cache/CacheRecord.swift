import FerryTransfer
import Foundation

/// What `URLCache` does not keep of a response, but the rules of caching ask for.
///
/// It goes into the user info of a `CachedURLResponse`, as one entry of type `Data`: anything else that is
/// no plain value cannot go to the disk (see ``URLCacheStorage``).
struct CacheRecord: Codable {
    var selectingFields: SelectingFields
    /// Seconds since 1970; see ``StoredResponse/requestTime``.
    var requestTime: Int64
    /// Seconds since 1970; see ``StoredResponse/responseTime``.
    var responseTime: Int64

    init(_ stored: StoredResponse) {
        selectingFields = stored.selectingFields
        requestTime = stored.requestTime.secondsSince1970
        responseTime = stored.responseTime.secondsSince1970
    }

    /// Reads the record of a stored response; nil when it has none, so that the app has stored it.
    init?(userInfo: [AnyHashable: Any]?) {
        guard let data = userInfo?[Self.key] as? Data,
            let record = try? PropertyListDecoder().decode(Self.self, from: data)
        else { return nil }
        self = record
    }

    /// The name of the entry.
    static let key = "io.ferry.cache"

    /// The record as the entry's value; nil when it cannot be written.
    var encoded: Data? {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try? encoder.encode(self)
    }
}
