/// Where a bus listens.
struct BusAddress: Hashable, Sendable {
    private static let plainBytes = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/.\\*".utf8
    )

    /// The address as D-Bus writes it, with sockets of this machine alone; empty if there are none.
    let text: String

    /// Makes an address of what D-Bus wrote.
    ///
    /// Only sockets of this machine are kept. For others sd-bus would look up a host's name or start a
    /// program, and wait for it.
    init(_ text: String) {
        self.text = text.split(separator: ";").filter { $0.hasPrefix("unix:") }
            .joined(separator: ";")
    }

    /// The system's bus, where sd_bus_open_system(3) looks for it.
    static var system: BusAddress {
        BusAddress(
            ProcessEnvironment["DBUS_SYSTEM_BUS_ADDRESS"]
                ?? "unix:path=/run/dbus/system_bus_socket"
        )
    }

    /// The bus of the user's session, where sd_bus_open_user(3) looks for it.
    static var session: BusAddress {
        if let address = ProcessEnvironment["DBUS_SESSION_BUS_ADDRESS"] {
            return BusAddress(address)
        }
        let directory = ProcessEnvironment["XDG_RUNTIME_DIR"]
        return BusAddress(directory.map { "unix:path=\(escape($0))/bus" } ?? "")
    }

    /// Writes a path as "Server Addresses" of the D-Bus specification requires.
    static func escape(_ path: String) -> String {
        path.utf8.map { byte in
            if plainBytes.contains(byte) { return String(Character(Unicode.Scalar(byte))) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
        }
        .joined()
    }
}
