import Glibc

/// A service that tells of the machine's conditions, and what its words mean.
enum ConditionsSource: Int, CaseIterable {
    case networkManager
    case upower
    case powerProfiles
    /// The name and the interface of the same daemon before its version 0.20, which it still has.
    case formerPowerProfiles
    case networkPortal
    case powerProfilePortal

    /// What a service has told.
    enum Report: Hashable, Sendable {
        /// These of its conditions hold.
        case conditions(Conditions)
        /// There is no connection that the conditions of the network could be those of.
        case disconnected
    }

    /// A bus that services are on.
    enum Bus: CaseIterable {
        case system
        case session
    }

    /// The services that this process may ask: in a sandbox, which keeps it from the system's, the portals.
    static let available: [ConditionsSource] = allCases.filter { $0.isPortal == isInSandbox }

    /// Whether the process runs in a Flatpak or a snap.
    ///
    /// From flatpak-metadata(5), and https://snapcraft.io/docs/environment-variables.
    private static var isInSandbox: Bool {
        access("/.flatpak-info", F_OK) == 0 || ProcessEnvironment["SNAP"] != nil
    }

    /// The conditions that the service tells of.
    var kinds: Conditions {
        switch self {
        case .networkManager: .network
        case .upower: .battery
        case .powerProfiles, .formerPowerProfiles, .powerProfilePortal: Self.saving
        case .networkPortal: .expensiveNetwork
        }
    }

    /// Where the service is.
    var bus: Bus { isPortal ? .session : .system }

    /// Whether the bus may start the service.
    ///
    /// A portal is there for programs to start it. The others are the system's: what its administrator does
    /// not run does not run because of a transfer.
    var mayBeStarted: Bool { isPortal }

    /// What the service is called in its status: the name on the bus, or the interface of a portal, all of
    /// which have one name.
    var name: String { isPortal ? object.interface : object.service }

    /// What is asked.
    var object: BusObject {
        switch self {
        case .networkManager:
            BusObject(
                service: "org.freedesktop.NetworkManager",
                path: "/org/freedesktop/NetworkManager",
                interface: "org.freedesktop.NetworkManager"
            )
        case .upower:
            BusObject(
                service: "org.freedesktop.UPower",
                path: "/org/freedesktop/UPower",
                interface: "org.freedesktop.UPower"
            )
        case .powerProfiles:
            BusObject(
                service: "org.freedesktop.UPower.PowerProfiles",
                path: "/org/freedesktop/UPower/PowerProfiles",
                interface: "org.freedesktop.UPower.PowerProfiles"
            )
        case .formerPowerProfiles:
            BusObject(
                service: "net.hadess.PowerProfiles",
                path: "/net/hadess/PowerProfiles",
                interface: "net.hadess.PowerProfiles"
            )
        case .networkPortal: Self.portal("org.freedesktop.portal.NetworkMonitor")
        case .powerProfilePortal: Self.portal("org.freedesktop.portal.PowerProfileMonitor")
        }
    }

    /// The signal by which the service reports that its values may have changed: its name, its sender, and its
    /// first argument, if it is sent for other things, too.
    ///
    /// The values in it are not used, but asked for: some services send none.
    var change: (signal: String, sender: BusObject, argument: String?) {
        self == .networkPortal
            ? ("changed", object, nil)
            : ("PropertiesChanged", object.properties, object.interface)
    }

    /// How the values are asked for.
    var question: (method: String, receiver: BusObject, arguments: [String]) {
        self == .networkPortal
            ? ("GetMetered", object, [])
            : ("GetAll", object.properties, [object.interface])
    }

    /// Reads the values from an answer; none if it is malformed.
    func values(_ message: BusMessage) -> [String: BusValue] {
        guard self == .networkPortal else { return message.properties() ?? [:] }
        return message.value().map { ["metered": $0] } ?? [:]
    }

    /// What the values of the object say; a value that is missing or of the wrong type says nothing.
    func report(_ values: [String: BusValue]) -> Report {
        switch self {
        case .networkManager:
            Self.network(values)
        case .upower:
            .conditions(values["OnBattery"] == .boolean(true) ? .battery : [])
        case .powerProfiles, .formerPowerProfiles:
            .conditions(values["ActiveProfile"] == .string("power-saver") ? Self.saving : [])
        case .networkPortal:
            .conditions(values["metered"] == .boolean(true) ? .expensiveNetwork : [])
        case .powerProfilePortal:
            .conditions(values["power-saver-enabled"] == .boolean(true) ? Self.saving : [])
        }
    }

    /// Saving power includes sending and receiving little.
    private static let saving: Conditions = [.powerSaver, .constrainedNetwork]

    private var isPortal: Bool {
        switch self {
        case .networkManager, .upower, .powerProfiles, .formerPowerProfiles: false
        case .networkPortal, .powerProfilePortal: true
        }
    }

    private static func portal(_ interface: String) -> BusObject {
        BusObject(
            service: "org.freedesktop.portal.Desktop",
            path: "/org/freedesktop/portal/desktop",
            interface: interface
        )
    }

    /// What NetworkManager says of its primary connection, by its types `NMMetered` and
    /// `NMActiveConnection:type`.
    private static func network(_ values: [String: BusValue]) -> Report {
        let isCellular = [.string("gsm"), .string("cdma")].contains(values["PrimaryConnectionType"])
        let cellular: Conditions = isCellular ? .cellularNetwork : []
        switch values["Metered"] {
        // The user has set it.
        case .uint32(1):
            return .conditions(cellular.union([.expensiveNetwork, .constrainedNetwork]))
        // NetworkManager guesses it.
        case .uint32(3): return .conditions(cellular.union(.expensiveNetwork))
        // The same for "no".
        case .uint32(2), .uint32(4): return .conditions(cellular)
        default: break
        }
        // It does not know: a version before 1.0.6 never does.
        if isCellular { return .conditions([.cellularNetwork, .expensiveNetwork]) }
        return values["PrimaryConnectionType"] == .string("") ? .disconnected : .conditions([])
    }
}
