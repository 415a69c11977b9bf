package import FerrySystem

extension Conditions {
    private static let names: [(Wire.Condition, Conditions)] = [
        (.expensiveNetwork, .expensiveNetwork), (.constrainedNetwork, .constrainedNetwork),
        (.cellularNetwork, .cellularNetwork), (.battery, .battery), (.powerSaver, .powerSaver),
        (.outsideHours, .outsideHours),
    ]

    /// The conditions that the other side has named, without those that are not known.
    package init(_ names: [Wire.Condition]?) {
        self = []
        // Nearly all tasks name none.
        guard let names, !names.isEmpty else { return }
        for (name, condition) in Self.names where names.contains(name) { formUnion(condition) }
    }

    /// The names for the other side.
    package var names: [Wire.Condition] { Self.names.filter { contains($0.1) }.map(\.0) }
}
