import FerryHTTP

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

    /// Why ``requiredInterface`` or ``hostAddresses`` cannot be used; nil if they can.
    package var routeFault: String? { self[\.route].fault }

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
