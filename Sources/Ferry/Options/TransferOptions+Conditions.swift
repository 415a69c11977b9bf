import FerryWire

extension TransferOptions {
    /// Conditions of the machine under which a background transfer may not be wanted to run.
    ///
    /// The services of the desktop report them: NetworkManager, UPower and power-profiles-daemon. Where a service is
    /// missing, its conditions never hold.
    public struct Conditions: OptionSet, Hashable, Sendable {
        /// The bits of the conditions.
        public let rawValue: Int

        /// Creates a set from its raw value; bits without a meaning are ignored.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The network costs money: it is metered, or NetworkManager guesses so.
        public static let expensiveNetwork = Conditions(rawValue: 1)
        /// The network is metered, and its user wants few bytes on it.
        public static let constrainedNetwork = Conditions(rawValue: 2)
        /// The network is cellular.
        public static let cellularNetwork = Conditions(rawValue: 4)
        /// The machine runs on battery.
        public static let battery = Conditions(rawValue: 8)
        /// The power profile of the machine saves power.
        public static let powerSaver = Conditions(rawValue: 16)
        /// It is none of the hours that the user has set for discretionary transfers.
        public static let outsideHours = Conditions(rawValue: 32)
        /// The conditions that ``URLSessionConfiguration/isDiscretionary`` avoids: all but a cellular network.
        public static let discretionary: Conditions = [
            .expensiveNetwork, .constrainedNetwork, .battery, .powerSaver, .outsideHours,
        ]
    }
}

extension TransferOptions.Conditions {
    private static let names: [(Wire.Condition, Self)] = [
        (.expensiveNetwork, .expensiveNetwork), (.constrainedNetwork, .constrainedNetwork),
        (.cellularNetwork, .cellularNetwork), (.battery, .battery), (.powerSaver, .powerSaver),
        (.outsideHours, .outsideHours),
    ]

    /// The conditions that the daemon has named, without those that are not known.
    init(_ names: [Wire.Condition]) {
        self = Self.names.filter { names.contains($0.0) }.reduce(into: []) { $0.formUnion($1.1) }
    }

    /// The conditions that a session's configuration has its tasks avoid.
    init(avoidedBy configuration: URLSessionConfiguration.Values) {
        self = configuration.isDiscretionary ? .discretionary : []
        if !configuration.allowsExpensiveNetworkAccess { insert(.expensiveNetwork) }
        if !configuration.allowsConstrainedNetworkAccess { insert(.constrainedNetwork) }
        if !configuration.allowsCellularAccess { insert(.cellularNetwork) }
    }

    /// The names for the daemon; nil if there are none.
    var wire: [Wire.Condition]? {
        let names = Self.names.filter { contains($0.1) }.map(\.0)
        return names.isEmpty ? nil : names
    }
}
