import FerryHTTP

@testable import FerryTransfer

/// Moments and messages for tests of the cache.
enum CacheFixtures {
    static let url = "https://host/file"
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let start = HTTPDate(secondsSince1970: 784_111_777)
    static let startText = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let minuteLater = "Sun, 06 Nov 1994 08:50:37 GMT"
    static let minuteBefore = "Sun, 06 Nov 1994 08:48:37 GMT"
    static let hourBefore = "Sun, 06 Nov 1994 07:49:37 GMT"
    static let tagged = [("ETag", "\"a\""), ("Cache-Control", "max-age=60")]

    static func after(_ seconds: Int64) -> HTTPDate {
        HTTPDate(secondsSince1970: start.secondsSince1970 + seconds)
    }

    static func fields(_ fields: [(String, String)]) -> [HTTPField] {
        fields.map { HTTPField(name: $0.0, value: $0.1) }
    }

    static func request(
        _ fields: [(String, String)] = [],
        method: String = "GET",
        url: String = url
    ) -> TransferRequest {
        TransferRequest(url: url, method: method, fields: self.fields(fields))
    }

    static func head(
        _ fields: [(String, String)] = [],
        status: Int = 200
    ) -> HTTPResponseHead {
        HTTPResponseHead(status: status, fields: self.fields(fields), url: url)
    }

    /// A response as it was when it came, whether or not it may be stored.
    static func stored(
        _ fields: [(String, String)],
        status: Int = 200,
        requestFields: [(String, String)] = [],
        delay: Int64 = 0
    ) -> StoredResponse {
        let head = head(fields, status: status)
        guard
            let selectingFields = SelectingFields(
                head: head,
                requestFields: self.fields(requestFields)
            )
        else { preconditionFailure("Vary: * can be stored nowhere") }
        return StoredResponse(
            head: head,
            selectingFields: selectingFields,
            requestTime: after(-delay),
            responseTime: start
        )
    }
}
