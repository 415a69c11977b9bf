import FerryTransfer
import Foundation

/// The properties of a response that `URLCache` does not keep, but HTTP caching requires.
///
/// It is one `Data` entry in the user info of a `CachedURLResponse`: only plain values can be written to disk
/// (see ``URLCacheStorage``).
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

    /// Reads the record of a stored response; nil if it has none because the app has stored it.
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
