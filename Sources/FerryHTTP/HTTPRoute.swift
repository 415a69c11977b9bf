import FerrySystem
import Glibc

/// Which of a machine's interfaces and of a host's addresses connections use.
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
            let isName = host.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && !":,/@[]+".utf8.contains($0)
            }
            guard isName, 1...255 ~= host.utf8.count else {
                return "'\(host)' is not a host's name"
            }
            guard port > 0 else { return "a port is from 1 to 65535" }
            guard !addresses.isEmpty, addresses.count <= 64 else {
                return "a host has 1 to 64 addresses"
            }
            return addresses.first { AddressFamily(ofAddress: $0) == nil }
                .map { "'\($0)' is not an address" }
        }
    }

    /// The version of all connections; `nil`, the default, for any.
    package var family: AddressFamily?
    /// The interface that connections are made from, such as `eth0`, or this machine's address; `nil`, the default, leaves
    /// it to the routing table.
    package var interface: String?
    /// The hosts whose names are not looked up.
    package var hosts: [HostAddresses]

    /// Makes a route; by default, the one that the system chooses.
    package init(
        family: AddressFamily? = nil,
        interface: String? = nil,
        hosts: [HostAddresses] = []
    ) {
        self.family = family
        self.interface = interface
        self.hosts = hosts
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
        return hosts.lazy.compactMap(\.fault).first
    }

    /// Returns whether it leads to this machine: a server here is reached without a network.
    ///
    /// - Parameter authority: The host's name and the port, such as `example.com:443`.
    /// - Returns: Whether it does.
    package func isLocal(_ authority: String) -> Bool {
        hosts.contains { entry in
            "\(entry.host):\(entry.port)" == authority
                && entry.addresses.allSatisfy { $0.hasPrefix("127.") || $0 == "::1" }
        }
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
