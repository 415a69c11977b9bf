import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

/// A response that is stored, or may be.
// @unchecked because Foundation does not declare `CachedURLResponse` as sendable; all it has is set once,
// when it is made, and nothing in Ferry changes what its user info holds.
struct CacheEntry: @unchecked Sendable {
    /// The values that decide about its use.
    let stored: StoredResponse
    /// The response with its body, as the app gets it.
    let response: CachedURLResponse

    init(stored: StoredResponse, response: CachedURLResponse) {
        self.stored = stored
        self.response = response
    }

    /// Reads a cached response for a request; nil if it cannot answer the request.
    init?(_ response: CachedURLResponse, for request: TransferRequest) {
        let head = Self.head(of: response.response, url: request.url)
        if let record = CacheRecord(userInfo: response.userInfo) {
            stored = StoredResponse(
                head: head,
                selectingFields: record.selectingFields,
                requestTime: HTTPDate(secondsSince1970: record.requestTime),
                responseTime: HTTPDate(secondsSince1970: record.responseTime)
            )
        } else {
            guard let stored = Self.appsResponse(head, to: request) else { return nil }
            self.stored = stored
        }
        self.response = response
    }

    /// A response that the app has stored: only the app knows for which request, and the date is unknown.
    ///
    /// Without a date it is stale from the beginning, so that it is used only where the app's policy says
    /// that age does not matter.
    private static func appsResponse(
        _ head: HTTPResponseHead,
        to request: TransferRequest
    ) -> StoredResponse? {
        let time =
            head.fields.first(named: "Date").flatMap { HTTPDate($0) }
            ?? HTTPDate(secondsSince1970: 0)
        let unvaried = HTTPResponseHead(status: head.status, fields: [], url: head.url)
        return SelectingFields(head: unvaried, requestFields: request.fields).map { fields in
            StoredResponse(
                head: head,
                selectingFields: fields,
                requestTime: time,
                responseTime: time
            )
        }
    }

    /// Returns the head of a response; a response that is not HTTP's has no fields.
    ///
    /// Foundation changes the case of names and joins fields of one name by commas. Neither matters.
    private static func head(of response: URLResponse, url: String) -> HTTPResponseHead {
        let response = response as? HTTPURLResponse
        let fields = (response?.allHeaderFields ?? [:]).compactMap { key, value in
            (key as? String).map { HTTPField(name: $0, value: value as? String ?? "\(value)") }
        }
        return HTTPResponseHead(
            status: response?.statusCode ?? 200,
            fields: fields.sorted { $0.name < $1.name },
            url: response?.url?.absoluteString ?? url
        )
    }
}

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
            let record = CacheCoding.decode(Self.self, from: data)
        else { return nil }
        self = record
    }

    /// The name of the entry.
    static let key = "io.ferry.cache"

    /// The record as the entry's value; nil when it cannot be written.
    var encoded: Data? { CacheCoding.encode(self) }
}
