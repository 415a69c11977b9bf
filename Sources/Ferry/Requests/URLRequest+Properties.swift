import Foundation
public import FoundationNetworking

/// The properties of Apple's type that Foundation's has not.
extension URLRequest {
    /// Whether the request may use a network that costs money, such as a metered one.
    ///
    /// Default: true. With false, its task does not load in such a network, even if the session's configuration allows
    /// that; see ``URLSessionConfiguration/allowsExpensiveNetworkAccess``. A request cannot allow what the configuration
    /// forbids.
    public var allowsExpensiveNetworkAccess: Bool {
        get { properties.allowsExpensiveNetworkAccess }
        set { properties.allowsExpensiveNetworkAccess = newValue }
    }

    /// Whether the request may use a network on which its user wants few bytes.
    ///
    /// Default: true. With false, its task does not load in such a network, even if the session's configuration allows
    /// that; see ``URLSessionConfiguration/allowsConstrainedNetworkAccess``. A request cannot allow what the
    /// configuration forbids.
    public var allowsConstrainedNetworkAccess: Bool {
        get { properties.allowsConstrainedNetworkAccess }
        set { properties.allowsConstrainedNetworkAccess = newValue }
    }

    /// Whether the request may use a network by satellite.
    ///
    /// Default: true. The value is kept; on Linux it has no effect, as no service tells which networks those are.
    public var allowsUltraConstrainedNetworkAccess: Bool {
        get { properties.allowsUltraConstrainedNetworkAccess }
        set { properties.allowsUltraConstrainedNetworkAccess = newValue }
    }

    /// Whether the server is known to speak HTTP/3.
    ///
    /// Default: false. The value is kept; on Linux it has no effect, as HTTP/3 is not spoken.
    public var assumesHTTP3Capable: Bool {
        get { properties.assumesHTTP3Capable }
        set { properties.assumesHTTP3Capable = newValue }
    }

    /// Who has chosen the request's URL.
    ///
    /// Default: ``Attribution-swift.enum/developer``. The value is kept; on Linux it has no effect.
    public var attribution: Attribution {
        get { properties.attribution }
        set { properties.attribution = newValue }
    }

    /// Whether the server's addresses must be signed, as DNSSEC does.
    ///
    /// Default: false. The value is kept; on Linux it has no effect, as with
    /// ``URLSessionConfiguration/requiresDNSSECValidation``.
    public var requiresDNSSECValidation: Bool {
        get { properties.requiresDNSSECValidation }
        set { properties.requiresDNSSECValidation = newValue }
    }

    /// Whether the server's addresses may be kept on disk.
    ///
    /// Default: false. The value is kept; on Linux it has no effect, as addresses are kept in memory only.
    public var allowsPersistentDNS: Bool {
        get { properties.allowsPersistentDNS }
        set { properties.allowsPersistentDNS = newValue }
    }

    /// The name of the part of the storage in which the request's cookies are.
    ///
    /// Default: nil. The value is kept; on Linux it has no effect, as a storage has one part.
    public var cookiePartitionIdentifier: String? {
        get { properties.cookiePartitionIdentifier }
        set { properties.cookiePartitionIdentifier = newValue }
    }

    /// Who has chosen a request's URL.
    public enum Attribution: UInt, Hashable, Sendable {
        /// The app's developer.
        case developer = 0
        /// The app's user, for example by typing it.
        case user = 1
    }

    /// Read where the object behind the request can be asked without being copied.
    private var properties: RequestProperties {
        get {
            let properties = URLProtocol.property(forKey: RequestWithProperties.key, in: self)
            return properties as? RequestProperties ?? RequestProperties()
        }
        set {
            // Foundation traps where the object behind a request without a URL is asked for.
            guard url != nil, newValue != properties else { return }
            self =
                RequestWithProperties(self as NSURLRequest, newValue) as NSURLRequest as URLRequest
        }
    }
}

/// The values of the properties that Foundation's requests have not, by default Apple's.
struct RequestProperties: Hashable, Sendable {
    var allowsExpensiveNetworkAccess = true
    var allowsConstrainedNetworkAccess = true
    var allowsUltraConstrainedNetworkAccess = true
    var assumesHTTP3Capable = false
    var attribution = URLRequest.Attribution.developer
    var requiresDNSSECValidation = false
    var allowsPersistentDNS = false
    var cookiePartitionIdentifier: String?
}

/// The object behind a `URLRequest` that has some of these properties.
///
/// A `URLRequest` is a value around an object, which it copies before it is changed: what the copies have, the value
/// keeps.
private final class RequestWithProperties: NSMutableURLRequest {
    /// The key of the properties among those that protocols attach to a request.
    static let key = "io.ferry.RequestProperties"

    private var properties = RequestProperties()

    convenience init(_ request: NSURLRequest, _ properties: RequestProperties) {
        // A URL is needed, and may be missing in what it is copied from.
        self.init(url: request.url ?? URL(fileURLWithPath: "/"))
        url = request.url
        mainDocumentURL = request.mainDocumentURL
        cachePolicy = request.cachePolicy
        timeoutInterval = request.timeoutInterval
        httpMethod = request.httpMethod
        allHTTPHeaderFields = request.allHTTPHeaderFields
        // Only one of the two is there, and setting the other one would remove it.
        if let body = request.httpBody { httpBody = body }
        if let stream = request.httpBodyStream { httpBodyStream = stream }
        networkServiceType = request.networkServiceType
        allowsCellularAccess = request.allowsCellularAccess
        httpShouldHandleCookies = request.httpShouldHandleCookies
        // Not whether requests are pipelined: Foundation deprecates that, and servers do not support it.
        self.properties = properties
        URLProtocol.setProperty(properties, forKey: Self.key, in: self)
    }

    override func copy(with zone: NSZone? = nil) -> Any { mutableCopy(with: zone) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any {
        RequestWithProperties(self, properties)
    }
}
