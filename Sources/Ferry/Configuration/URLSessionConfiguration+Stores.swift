public import FoundationNetworking
import Synchronization

extension URLSessionConfiguration {
    /// Whether requests get the cookies of ``httpCookieStorage``.
    ///
    /// Default: true. With false, none are sent, but received ones are stored. A request with a `Cookie` field of its
    /// own, or with `httpShouldHandleCookies` set to false, gets none. A background session does not use the storage:
    /// each of its tasks keeps the cookies that come with redirects, in memory, and sends them where those lead. With
    /// false it keeps none.
    public var httpShouldSetCookies: Bool {
        get { self[\.httpShouldSetCookies] }
        set { self[\.httpShouldSetCookies] = newValue }
    }

    /// The servers whose cookies are stored.
    ///
    /// Default: `.onlyFromMainDocumentDomain`: those of servers that belong to the domain of the request's
    /// `mainDocumentURL`, and all for a request without one. In background sessions, the servers whose cookies are
    /// kept while redirects are followed.
    public var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy {
        get { self[\.httpCookieAcceptPolicy] }
        set { self[\.httpCookieAcceptPolicy] = newValue }
    }

    /// Where cookies are stored; nil for nowhere.
    ///
    /// Default: the shared store; for ephemeral sessions one in memory.
    public var httpCookieStorage: HTTPCookieStorage? {
        get {
            switch self[\.httpCookieStorage] {
            case .shared: .shared
            case .ephemeral(let stores): stores.cookies
            case .own(let storage): storage
            }
        }
        set { self[\.httpCookieStorage] = .own(newValue) }
    }

    /// Where credentials for authentication are stored; nil for nowhere.
    ///
    /// Default: the shared store; for ephemeral sessions one in memory. A challenge is answered with the default
    /// credential of its protection space if the delegate does not answer it. A credential from the delegate is
    /// stored, unless its persistence is `.none`.
    public var urlCredentialStorage: URLCredentialStorage? {
        get { self[\.urlCredentialStorage].credentials }
        set { self[\.urlCredentialStorage] = .own(newValue) }
    }

    /// Where responses are cached; nil for nowhere.
    ///
    /// Default: the shared cache; for ephemeral sessions one in memory, for background sessions nil. Data
    /// tasks use it as RFC 9111 specifies; download and upload tasks never do, as on Apple's systems.
    public var urlCache: URLCache? {
        get { self[\.urlCache].cache }
        set { self[\.urlCache] = .own(newValue) }
    }

    /// How responses are taken from the cache.
    ///
    /// Default: `.useProtocolCachePolicy`. A request's own policy takes precedence, unless it is that default.
    public var requestCachePolicy: NSURLRequest.CachePolicy {
        get { self[\.requestCachePolicy] }
        set { self[\.requestCachePolicy] = newValue }
    }
}

extension URLSessionConfiguration.Values {
    /// Whether responses are cached anywhere.
    var hasCache: Bool {
        if case .own(nil) = urlCache { false } else { true }
    }
}

extension URLSessionConfiguration.Values.Store<URLCredentialStorage> {
    /// The storage itself.
    var credentials: URLCredentialStorage? {
        switch self {
        case .shared: .shared
        case .ephemeral(let stores): stores.credentials
        case .own(let storage): storage
        }
    }
}

extension URLSessionConfiguration.Values.Store<URLCache> {
    /// The cache itself.
    var cache: URLCache? {
        switch self {
        case .shared: .shared
        case .ephemeral(let stores): stores.cache
        case .own(let storage): storage
        }
    }
}

extension URLSessionConfiguration {
    /// The stores of an ephemeral configuration and its copies, made when first asked for.
    final class EphemeralStores: Sendable {
        private let configuration = Mutex<FoundationNetworking.URLSessionConfiguration?>(nil)
        private let memoryCache = Mutex<URLCache?>(nil)

        var cookies: HTTPCookieStorage? { stores { $0.httpCookieStorage } }
        var credentials: URLCredentialStorage? { stores { $0.urlCredentialStorage } }

        // Even if the app gives it room on disk, it has none: its path cannot be created.
        var cache: URLCache? {
            memoryCache.withLock { cache in
                let present =
                    cache
                    ?? URLCache(
                        memoryCapacity: 4 << 20,
                        diskCapacity: 0,
                        diskPath: "/dev/null/cache"
                    )
                cache = present
                return present
            }
        }

        // Foundation makes stores without a file only for its own ephemeral configuration.
        private func stores<Storage: Sendable>(
            _ storage: (FoundationNetworking.URLSessionConfiguration) -> Storage?
        ) -> Storage? {
            configuration.withLock { configuration in
                let present = configuration ?? .ephemeral
                configuration = present
                return storage(present)
            }
        }
    }
}
