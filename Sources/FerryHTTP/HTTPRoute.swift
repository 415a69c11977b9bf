import FerrySystem
import Glibc

/// Which way connections take: by which interface, ports, addresses and hosts.
package struct HTTPRoute: Hashable, Sendable {
    /// A version of the Internet Protocol.
    package enum AddressFamily: Hashable, Sendable {
        case ipv4
        case ipv6
    }

    /// Addresses of a host that are used without a lookup of its name.
    package struct HostAddresses: Hashable, Sendable {
        /// The host's name in lower case.
        package var host: String
        /// The port of the connections that use them.
        package var port: UInt16
        /// The addresses, such as `192.0.2.1` and `2001:db8::1`; the first one that responds is used.
        package var addresses: [String]

        /// Makes an entry.
        package init(host: String, port: UInt16, addresses: [String]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }

        /// The entry in libcurl's form; an address with colons is in brackets.
        var line: String {
            let list = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
            return "\(host):\(port):\(list)"
        }

        /// Why it cannot be used; `nil` if it can.
        package var fault: String? {
            if let fault = HTTPRoute.fault(ofHost: host, port) { return fault }
            guard !addresses.isEmpty, addresses.count <= 64 else {
                return "a host has 1 to 64 addresses"
            }
            return addresses.first { AddressFamily(ofAddress: $0) == nil }
                .map { "'\($0)' is not an address" }
        }
    }

    /// Another server to connect to in place of the one that a URL names.
    package struct Redirection: Hashable, Sendable {
        /// The name of the host in the URL, in lower case.
        package var host: String
        /// The port of the URL.
        package var port: UInt16
        /// The name or the address of the other server.
        package var target: String
        /// The port of the other server.
        package var targetPort: UInt16

        /// Makes an entry.
        package init(host: String, port: UInt16, target: String, targetPort: UInt16) {
            self.host = host
            self.port = port
            self.target = target
            self.targetPort = targetPort
        }

        /// The entry in libcurl's form; an address with colons is in brackets.
        var line: String {
            let place = target.contains(":") ? "[\(target)]" : target
            return "\(host):\(port):\(place):\(targetPort)"
        }

        /// Why it cannot be used; `nil` if it can.
        package var fault: String? {
            let isAddress = AddressFamily(ofAddress: target) != nil
            return HTTPRoute.fault(ofHost: host, port)
                ?? HTTPRoute.fault(ofHost: isAddress ? "address" : target, targetPort)
        }
    }

    /// The version of all connections; `nil`, the default, for any.
    package var family: AddressFamily?
    /// The interface that connections are made from, such as `eth0`, or this machine's address; `nil`, the default, leaves
    /// it to the routing table.
    package var interface: String?
    /// The hosts whose names are not looked up.
    package var hosts: [HostAddresses]
    /// The ports of this machine that connections are made from; `nil`, the default, for any.
    package var localPorts: ClosedRange<UInt16>?
    /// The servers to connect to in place of others.
    package var redirections: [Redirection]
    /// The absolute path of the UNIX socket of the server of all requests; `nil`, the default, for none.
    package var unixSocket: String?

    /// Makes a route; by default, the one that the system chooses.
    package init(
        family: AddressFamily? = nil,
        interface: String? = nil,
        hosts: [HostAddresses] = [],
        localPorts: ClosedRange<UInt16>? = nil,
        redirections: [Redirection] = [],
        unixSocket: String? = nil
    ) {
        self.family = family
        self.interface = interface
        self.hosts = hosts
        self.localPorts = localPorts
        self.redirections = redirections
        self.unixSocket = unixSocket
    }

    /// Why it cannot be used; `nil` if it can.
    package var fault: String? {
        if let interface, AddressFamily(ofAddress: interface) == nil {
            // netdevice(7): IFNAMSIZ includes the zero at the end.
            let isName = interface.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }
            guard isName, 1..<Int(IFNAMSIZ) ~= interface.utf8.count else {
                return "'\(interface)' is neither an interface nor an address"
            }
        }
        if localPorts?.lowerBound == 0 { return Self.invalidPort }
        if let unixSocket {
            // unix(7): sun_path has 108 bytes, with the zero at the end.
            guard unixSocket.hasPrefix("/"), unixSocket.utf8.count < 108,
                !unixSocket.utf8.contains(0)
            else { return "the path of a UNIX socket is absolute and has up to 107 bytes" }
        }
        return hosts.lazy.compactMap(\.fault).first
            ?? redirections.lazy.compactMap(\.fault).first
    }

    private static let invalidPort = "a port is from 1 to 65535"

    private static func fault(ofHost host: String, _ port: UInt16) -> String? {
        let isName = host.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && !":,/@[]+".utf8.contains($0)
        }
        guard isName, 1...255 ~= host.utf8.count else { return "'\(host)' is not a host's name" }
        return port > 0 ? nil : invalidPort
    }

    /// Returns whether it leads to this machine: a server here is reached without a network.
    ///
    /// - Parameter authority: The host's name and the port, such as `example.com:443`.
    /// - Returns: Whether it does.
    package func isLocal(_ authority: String) -> Bool {
        if unixSocket != nil { return true }
        let redirection = redirections.first { "\($0.host):\($0.port)" == authority }
        let reached = redirection.map { "\($0.target):\($0.targetPort)" } ?? authority
        if let redirection, Self.isLocal(address: redirection.target) { return true }
        return hosts.contains { entry in
            "\(entry.host):\(entry.port)" == reached
                && entry.addresses.allSatisfy(Self.isLocal)
        }
    }

    private static func isLocal(address: String) -> Bool {
        address.hasPrefix("127.") || address == "::1" || address == "localhost"
    }
}

extension HTTPRoute.AddressFamily {
    /// The version of an address; `nil` for a text that is none.
    package init?(ofAddress text: String) {
        var bytes = in6_addr()
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self = .ipv4
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self = .ipv6
        } else {
            return nil
        }
    }
}
