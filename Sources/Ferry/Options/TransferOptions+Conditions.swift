import FerrySystem
import FerryWire
import Foundation
import FoundationNetworking

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
        public static let expensiveNetwork = Conditions(.expensiveNetwork)
        /// The network is metered, and its user wants few bytes on it.
        public static let constrainedNetwork = Conditions(.constrainedNetwork)
        /// The network is cellular.
        public static let cellularNetwork = Conditions(.cellularNetwork)
        /// The machine runs on battery.
        public static let battery = Conditions(.battery)
        /// The power profile of the machine saves power.
        public static let powerSaver = Conditions(.powerSaver)
        /// The present hour is not one that the user has set for discretionary transfers.
        public static let outsideHours = Conditions(.outsideHours)
        /// The conditions that ``URLSessionConfiguration/isDiscretionary`` avoids: all but a cellular network.
        public static let discretionary = Conditions(.discretionary)

        private init(_ conditions: FerrySystem.Conditions) { rawValue = Int(conditions.rawValue) }
    }
}

extension TransferOptions.Conditions {
    /// The conditions that the daemon has named, without those that are not known.
    init(_ names: [Wire.Condition]) { self.init(FerrySystem.Conditions(names)) }

    /// The conditions that a session's configuration has its tasks avoid.
    init(avoidedBy configuration: URLSessionConfiguration.Values) {
        self.init(FerrySystem.Conditions(avoidedBy: nil, in: configuration))
        if configuration.isDiscretionary { formUnion(.discretionary) }
    }

    /// The conditions that a request avoids.
    init(avoidedBy request: URLRequest) {
        self.init(FerrySystem.Conditions(avoidedBy: request))
    }

    /// The names for the daemon; nil if there are none.
    var wire: [Wire.Condition]? {
        let names = FerrySystem.Conditions(rawValue: Int64(rawValue)).names
        return names.isEmpty ? nil : names
    }
}
