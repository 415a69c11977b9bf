package import FerryHTTP
import FoundationEssentials

/// The request of a transfer, before redirects and resumption change it.
package struct TransferRequest: Hashable, Sendable {
    /// An absolute URL with the scheme `http` or `https`.
    package var url: String
    /// The method, in the case in which it is sent.
    package var method: String
    /// The fields that the app set.
    package var fields: [HTTPField]
    /// The bytes to send after the header.
    package var body: [UInt8]?
    /// The longest time in seconds in which nothing may arrive; 0 for no limit.
    package var idleTimeout: Double
    /// The URL that the task was made for, if another one has replaced it; the session's fields are meant for
    /// its origin alone.
    package var madeFor: String? {
        didSet { if madeFor == url { madeFor = nil } }
    }
    /// Which cookies are kept for the requests that follow redirects, in a transfer that has them to itself.
    package var cookieAcceptance: CookieAcceptance

    /// Makes a request; an invalid one is reported when it is started.
    package init(
        url: String,
        method: String = "GET",
        fields: [HTTPField] = [],
        body: [UInt8]? = nil,
        idleTimeout: Double = 60,
        madeFor: String? = nil,
        cookieAcceptance: CookieAcceptance = .all
    ) {
        self.url = url
        self.method = method
        self.fields = fields
        self.body = body
        self.idleTimeout = idleTimeout
        self.madeFor = madeFor == url ? nil : madeFor
        self.cookieAcceptance = cookieAcceptance
    }

    /// Whether a part of the response's body can be asked for later.
    ///
    /// Only a GET without a body qualifies, and none with a range of its own, or a condition of which version it is
    /// for: that means something else when ours are added to it.
    package var isResumable: Bool {
        method == "GET" && (body ?? []).isEmpty && !has(Self.versionNames)
    }

    /// Makes it a request for a part of the response's body.
    ///
    /// Whether there is something newer was answered by the response that the part belongs to.
    ///
    /// - Parameter fields: The fields that say which part.
    mutating func ask(forPart fields: [HTTPField]) {
        guard !fields.isEmpty else { return }
        self.fields.removeAll { field in Self.freshnessNames.contains { field.isNamed($0) } }
        self.fields += fields
    }

    /// Whether the app asks for a part, or sets a condition of its own.
    var isConditional: Bool { has(Self.versionNames + Self.freshnessNames) }

    private func has(_ names: [String]) -> Bool {
        fields.contains { field in names.contains { field.isNamed($0) } }
    }

    /// Whether the app asks for a range itself, so that a 206 is what it wants.
    var hasRange: Bool { fields.contains { $0.isNamed("Range") } }

    private static let versionNames = ["Range", "If-Range", "If-Match", "If-Unmodified-Since"]
    private static let freshnessNames = ["If-None-Match", "If-Modified-Since"]

    /// The request as the engine takes it.
    func httpRequest(
        adding extraFields: [HTTPField],
        protocolChoice: HTTPRequest.ProtocolChoice
    ) -> HTTPRequest {
        HTTPRequest(
            url: url,
            method: method,
            fields: fields + extraFields,
            body: body,
            idleTimeout: idleDuration,
            protocolChoice: protocolChoice
        )
    }

    /// An invalid or excessive length of time means no limit.
    private var idleDuration: Duration {
        guard idleTimeout > 0, idleTimeout < 1e9 else { return .zero }
        return .seconds(idleTimeout)
    }
}

extension TransferRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case url
        case method
        case fields
        case body
        case idleTimeout
        case madeFor
        case ignoresCookies
        case cookieSite
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(String.self, forKey: .url)
        method = try container.decode(String.self, forKey: .method)
        fields = try container.decode([HTTPField].self, forKey: .fields)
        // Data is written as base64, an array of bytes as a list of numbers.
        body = try container.decodeIfPresent(Data.self, forKey: .body).map { Array($0) }
        idleTimeout = try container.decode(Double.self, forKey: .idleTimeout)
        madeFor = try container.decodeIfPresent(String.self, forKey: .madeFor)
        cookieAcceptance = CookieAcceptance(
            ignoresCookies: try container.decodeIfPresent(Bool.self, forKey: .ignoresCookies),
            site: try container.decodeIfPresent(String.self, forKey: .cookieSite)
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(url, forKey: .url)
        try container.encode(method, forKey: .method)
        try container.encode(fields, forKey: .fields)
        try container.encodeIfPresent(body.map { Data($0) }, forKey: .body)
        // JSON has no infinity.
        try container.encode(idleTimeout.isFinite ? idleTimeout : 0, forKey: .idleTimeout)
        try container.encodeIfPresent(madeFor, forKey: .madeFor)
        try container.encodeIfPresent(cookieAcceptance.ignoresCookies, forKey: .ignoresCookies)
        try container.encodeIfPresent(cookieAcceptance.site, forKey: .cookieSite)
    }
}
