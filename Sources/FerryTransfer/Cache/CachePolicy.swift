/// How an app wants a request to use the cache: Apple's `NSURLRequest.CachePolicy`.
///
/// Apple has one more name, `reloadIgnoringCacheData`, for ``reloadIgnoringLocalCacheData``.
package enum CachePolicy: Hashable, Sendable, CaseIterable {
    /// As RFC 9111 says.
    case useProtocolCachePolicy
    /// Load it, whatever is stored.
    case reloadIgnoringLocalCacheData
    /// Load it, and let no cache on the way answer either.
    case reloadIgnoringLocalAndRemoteCacheData
    /// What is stored, however old; load it where nothing is.
    case returnCacheDataElseLoad
    /// What is stored, however old; fail where nothing is.
    case returnCacheDataDontLoad
    /// What is stored if the server confirms that it is still current.
    case reloadRevalidatingCacheData
}
