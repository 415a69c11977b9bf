import FerryHTTP
public import Foundation

extension URLSessionConfiguration {
    /// The version of the Internet Protocol that all connections use.
    ///
    /// Default: nil, for any: libcurl tries the addresses of both versions (RFC 8305). A host without an address of the
    /// version fails tasks with `URLError.Code.cannotFindHost`. Apple has this for Network's connections alone. libcurl's
    /// `CURLOPT_IPRESOLVE`.
    public var internetProtocolVersion: InternetProtocolVersion? {
        get {
            switch self[\.route].family {
            case .ipv4: .v4
            case .ipv6: .v6
            case nil: nil
            }
        }
        set {
            self[\.route].family =
                switch newValue {
                case .v4: .ipv4
                case .v6: .ipv6
                case nil: nil
                }
        }
    }

    /// The interface that connections are made from, by its name, such as `eth0`, or by an address of this machine.
    ///
    /// Default: nil, for the one that the routing table has. While there is no such interface, tasks fail with
    /// `URLError.Code.cannotConnectToHost`, and those of background sessions are tried again. Apple has this for Network's
    /// connections alone. libcurl's `CURLOPT_INTERFACE`.
    public var requiredInterface: String? {
        get { self[\.route].interface }
        set { self[\.route].interface = newValue }
    }

    /// Addresses of hosts that are used without a lookup of their names.
    ///
    /// Default: none. A server's certificate is still verified for the host's name. What cannot be an address fails all tasks
    /// with `URLError.Code.cannotConnectToHost`. libcurl's `CURLOPT_RESOLVE`.
    public var hostAddresses: [HostAddresses] {
        get {
            self[\.route].hosts.map {
                HostAddresses(host: $0.host, port: Int($0.port), addresses: $0.addresses)
            }
        }
        set {
            self[\.route].hosts = newValue.map {
                HTTPRoute.HostAddresses(
                    host: $0.host.lowercased(),
                    port: UInt16(exactly: $0.port) ?? 0,
                    addresses: $0.addresses
                )
            }
        }
    }

    /// The ports of this machine that connections are made from, from 1 to 65535.
    ///
    /// Default: nil, for any. Each connection takes the first of them that is free; if none is, tasks fail with
    /// `URLError.Code.cannotConnectToHost`, and those of background sessions are tried again. Ports that cannot be fail all
    /// tasks. Apple has no such property. libcurl's `CURLOPT_LOCALPORT`.
    public var localPorts: ClosedRange<Int>? {
        get { self[\.route].localPorts.map { Int($0.lowerBound)...Int($0.upperBound) } }
        set {
            self[\.route].localPorts = newValue.map {
                let first = UInt16(exactly: $0.lowerBound)
                // 0 is refused with the reason.
                guard let first, let last = UInt16(exactly: $0.upperBound) else { return 0...0 }
                return first...last
            }
        }
    }

    /// The servers to connect to in place of those that URLs name.
    ///
    /// Default: none. Requests and the verification of certificates still use the name in the URL. What cannot be a host or a
    /// port fails all tasks with `URLError.Code.cannotConnectToHost`. Apple has no such property. libcurl's
    /// `CURLOPT_CONNECT_TO`.
    public var hostRedirections: [HostRedirection] {
        get {
            self[\.route].redirections.map {
                HostRedirection(
                    host: $0.host,
                    port: Int($0.port),
                    target: $0.target,
                    targetPort: Int($0.targetPort)
                )
            }
        }
        set {
            self[\.route].redirections = newValue.map {
                HTTPRoute.Redirection(
                    host: $0.host.lowercased(),
                    port: UInt16(exactly: $0.port) ?? 0,
                    target: $0.target,
                    targetPort: UInt16(exactly: $0.targetPort) ?? 0
                )
            }
        }
    }

    /// The UNIX socket of a server of this machine that all requests are sent to, as a file URL.
    ///
    /// Default: nil. The host of a URL is then only a name in the request, and no proxy is used. The path has up to 107 bytes
    /// (unix(7)); another one fails all tasks with `URLError.Code.cannotConnectToHost`. Apple has no such property.
    /// libcurl's `CURLOPT_UNIX_SOCKET_PATH`.
    public var unixSocket: URL? {
        get { self[\.route].unixSocket.map { URL(filePath: $0, directoryHint: .notDirectory) } }
        set {
            self[\.route].unixSocket = newValue.map { $0.isFileURL ? $0.absoluteURL.path : "" }
        }
    }

    /// Why the properties of the route, of TLS and for proxies cannot be used; nil if they can.
    package var connectionFault: String? {
        let values = snapshot
        return values.route.fault ?? values.tls.fault ?? values.client.proxies.fieldFault
    }

    /// Another server to connect to in place of the one that a URL names.
    public struct HostRedirection: Hashable, Sendable {
        /// The name of the host in the URL.
        public var host: String
        /// The port of the URL, from 1 to 65535.
        public var port: Int
        /// The name or the address of the other server.
        public var target: String
        /// The port of the other server, from 1 to 65535.
        public var targetPort: Int

        /// Creates an entry.
        ///
        /// - Parameters:
        ///   - host: The name of the host in the URL.
        ///   - port: The port of the URL, from 1 to 65535.
        ///   - target: The name or the address of the other server.
        ///   - targetPort: The port of the other server, from 1 to 65535.
        public init(host: String, port: Int, target: String, targetPort: Int) {
            self.host = host
            self.port = port
            self.target = target
            self.targetPort = targetPort
        }
    }

    /// A version of the Internet Protocol.
    public enum InternetProtocolVersion: Hashable, Sendable {
        /// Version 4 (RFC 791).
        case v4
        /// Version 6 (RFC 8200).
        case v6
    }

    /// Addresses of a host that are used without a lookup of its name.
    public struct HostAddresses: Hashable, Sendable {
        /// The host's name.
        public var host: String
        /// The port of the connections that use them, from 1 to 65535.
        public var port: Int
        /// The addresses, 1 to 64, such as `192.0.2.1` and `2001:db8::1`; the first one that responds is used.
        public var addresses: [String]

        /// Creates an entry.
        ///
        /// - Parameters:
        ///   - host: The host's name.
        ///   - port: The port of the connections that use them, from 1 to 65535.
        ///   - addresses: The addresses, 1 to 64.
        public init(host: String, port: Int, addresses: [String]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }
    }
}
