public import FoundationNetworking

extension URLSessionConfiguration {
    /// Whether requests get the cookies of ``httpCookieStorage``.
    ///
    /// Default: true. On Linux without effect: downloads neither send nor store cookies. Set a `Cookie`
    /// field of the request instead.
    public var httpShouldSetCookies: Bool {
        get { self[\.httpShouldSetCookies] }
        set { self[\.httpShouldSetCookies] = newValue }
    }

    /// Whose cookies are stored.
    ///
    /// Default: `.onlyFromMainDocumentDomain`. On Linux without effect: downloads store no cookies.
    public var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy {
        get { self[\.httpCookieAcceptPolicy] }
        set { self[\.httpCookieAcceptPolicy] = newValue }
    }

    /// Where cookies are stored; nil for nowhere.
    ///
    /// Default: the shared store; for ephemeral sessions one in memory. On Linux it is used only by
    /// ``URLSession/reset(completionHandler:)``, which empties it.
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
    /// Default: the shared store; for ephemeral sessions one in memory. On Linux without effect:
    /// downloads answer no authentication challenge. Set an `Authorization` field of the request
    /// instead, which is not passed on to other origins.
    public var urlCredentialStorage: URLCredentialStorage? {
        get {
            switch self[\.urlCredentialStorage] {
            case .shared: .shared
            case .ephemeral(let stores): stores.credentials
            case .own(let storage): storage
            }
        }
        set { self[\.urlCredentialStorage] = .own(newValue) }
    }

    /// Where responses are cached; nil for nowhere.
    ///
    /// Default: the shared cache; for ephemeral sessions one in memory, for background sessions nil. On
    /// Linux it is used only by ``URLSession/reset(completionHandler:)``, which empties it: download
    /// tasks never cache, as on Apple's systems.
    public var urlCache: URLCache? {
        get { self[\.urlCache].cache }
        set { self[\.urlCache] = .own(newValue) }
    }

    /// How responses are taken from the cache.
    ///
    /// Default: `.useProtocolCachePolicy`. On Linux without effect: downloads are never answered from a
    /// cache.
    public var requestCachePolicy: NSURLRequest.CachePolicy {
        get { self[\.requestCachePolicy] }
        set { self[\.requestCachePolicy] = newValue }
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
