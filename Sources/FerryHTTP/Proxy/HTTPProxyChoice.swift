import FerrySystem

/// Which proxies a client's requests go through.
package enum HTTPProxyChoice: Hashable, Sendable {
    /// Those that `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` name, as for curl.
    case environment
    /// None, whatever the environment says.
    case direct
    /// These, whatever the environment says.
    case list(HTTPProxyList)

    /// Whether a request by `http` may go elsewhere than to its host.
    var mayDivertPlainRequests: Bool {
        switch self {
        case .environment:
            ["http_proxy", "all_proxy", "ALL_PROXY"]
                .contains { ProcessEnvironment[$0]?.isEmpty == false }
        case .direct: false
        case .list(let list): list.http != nil
        }
    }
}
