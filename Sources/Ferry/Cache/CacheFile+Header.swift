import Foundation
import FoundationNetworking

extension CacheFile {
    /// All of a response but its body, as JSON.
    struct Header: Codable {
        /// The key's URL, which may differ from the response's.
        var url: String
        var response: ResponseRecord
        var userInfo: [String: PlainValue]?

        /// Reads a response; nil if it can be kept in memory only.
        init?(_ cached: CachedURLResponse, for key: CacheKey) {
            guard let response = ResponseRecord(cached.response) else { return nil }
            if let given = cached.userInfo {
                var userInfo: [String: PlainValue] = [:]
                for (key, value) in given {
                    guard let key = key.base as? String, let value = PlainValue(value) else {
                        return nil
                    }
                    userInfo[key] = value
                }
                self.userInfo = userInfo
            }
            url = key.url
            self.response = response
        }

        /// Returns the response; nil if the header is none of a response.
        func cachedResponse(with body: Data) -> CachedURLResponse? {
            response.response.map {
                CachedURLResponse(
                    response: $0,
                    data: body,
                    userInfo: userInfo?.mapValues(\.value),
                    storagePolicy: .allowed
                )
            }
        }
    }

    /// What a response was made from.
    ///
    /// Foundation's own archives are not used: what reads them may trap on bytes that are not an archive.
    struct ResponseRecord: Codable {
        /// What only HTTP's responses have.
        struct HTTP: Codable {
            var status: Int
            var fields: [String: String]
            var isReceived: Bool
        }

        private var url: String
        private var mimeType: String?
        private var expectedContentLength: Int64
        private var textEncodingName: String?
        private var http: HTTP?

        /// Reads a response; nil for one of a class of the app's.
        init?(_ response: URLResponse) {
            guard let url = response.url?.absoluteString else { return nil }
            let kind = type(of: response)
            if let response = response as? HTTPURLResponse {
                let isReceived = kind == ReceivedHTTPURLResponse.self
                guard isReceived || kind == HTTPURLResponse.self,
                    let fields = response.allHeaderFields as? [String: String]
                else { return nil }
                http = HTTP(status: response.statusCode, fields: fields, isReceived: isReceived)
            } else if kind != URLResponse.self {
                return nil
            }
            self.url = url
            mimeType = response.mimeType
            expectedContentLength = response.expectedContentLength
            textEncodingName = response.textEncodingName
        }

        /// The response; nil if there is none that is like this.
        var response: URLResponse? {
            guard let url = URL(string: url) else { return nil }
            guard let http else {
                return URLResponse(
                    url: url,
                    mimeType: mimeType,
                    expectedContentLength: Int(expectedContentLength),
                    textEncodingName: textEncodingName
                )
            }
            // The other properties are made from the fields.
            if http.isReceived {
                let response = ReceivedHTTPURLResponse(
                    url: url,
                    statusCode: http.status,
                    httpVersion: nil,
                    headerFields: http.fields
                )
                // Only what keeps its coding has a length in spite of it.
                response?.keepsCoding = expectedContentLength >= 0
                return response
            }
            return HTTPURLResponse(
                url: url,
                statusCode: http.status,
                httpVersion: nil,
                headerFields: http.fields
            )
        }
    }

    /// A value of user info that comes back from disk as it was.
    enum PlainValue: Codable {
        case text(String)
        case data(Data)
        case date(Date)
        case flag(Bool)
        case integer(Int)
        case number(Double)

        /// Reads a value; nil for one that has another type.
        init?(_ value: Any) {
            switch value {
            // It would come back as one of the types below, which is not always the one that the app reads it as.
            case is NSNumber where type(of: value) is NSNumber.Type: return nil
            case let text as String: self = .text(text)
            case let data as Data: self = .data(data)
            case let date as Date: self = .date(date)
            case let flag as Bool: self = .flag(flag)
            case let integer as Int: self = .integer(integer)
            case let number as Double: self = .number(number)
            default: return nil
            }
        }

        /// The value.
        var value: Any {
            switch self {
            case .text(let text): text
            case .data(let data): data
            case .date(let date): date
            case .flag(let flag): flag
            case .integer(let integer): integer
            case .number(let number): number
            }
        }
    }
}
