/// The conditions of this machine whose end a transfer may have to wait for.
///
/// The services of the desktop report them; a service that is absent, does not answer or answers nonsense
/// counts as none of them.
package struct Conditions: OptionSet, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Makes a set of its elements; in other modules, the standard library's initializer would be generic code.
    package init(arrayLiteral elements: Conditions...) {
        rawValue = elements.reduce(0) { $0 | $1.rawValue }
    }

    /// Bytes cost money: the primary connection is metered, or NetworkManager guesses so.
    package static let expensiveNetwork = Conditions(rawValue: 1)
    /// The user wants few bytes on the network: it is metered, and the user has set that, or power is to be saved.
    package static let constrainedNetwork = Conditions(rawValue: 2)
    /// The primary connection is cellular.
    package static let cellularNetwork = Conditions(rawValue: 4)
    /// The machine runs on battery.
    package static let battery = Conditions(rawValue: 8)
    /// The profile of the machine saves power.
    package static let powerSaver = Conditions(rawValue: 16)
    /// The present hour is not one that the user has set for discretionary work.
    package static let outsideHours = Conditions(rawValue: 32)

    /// The conditions of the network.
    package static let network: Conditions = [
        .expensiveNetwork, .constrainedNetwork, .cellularNetwork,
    ]
    /// The conditions of the power supply.
    package static let power: Conditions = [.battery, .powerSaver]
    /// The conditions under which discretionary work waits.
    package static let discretionary: Conditions = [
        .expensiveNetwork, .constrainedNetwork, .battery, .powerSaver, .outsideHours,
    ]
}
