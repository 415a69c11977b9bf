import FerrySystem
import FerryWire

extension Conditions {
    private static let names: [(Wire.Condition, Conditions)] = [
        (.expensiveNetwork, .expensiveNetwork), (.constrainedNetwork, .constrainedNetwork),
        (.cellularNetwork, .cellularNetwork), (.battery, .battery), (.powerSaver, .powerSaver),
        (.outsideHours, .outsideHours),
    ]

    /// The conditions that a client has named, without those that are not known.
    init(_ names: [Wire.Condition]?) {
        self = Self.names.filter { names?.contains($0.0) == true }
            .reduce(into: []) { $0.formUnion($1.1) }
    }

    /// The names for clients.
    var names: [Wire.Condition] { Self.names.filter { contains($0.1) }.map(\.0) }
}

extension [Wire.Condition]? {
    /// Why they are invalid; `nil` if they are not.
    var contradiction: (member: String, reason: String)? {
        guard self?.contains(.other) == true else { return nil }
        return ("avoids", "one of the conditions is not known to this version of ferryd")
    }
}

extension Wire.ConditionsService {
    init(_ service: ConditionsService) {
        let state: Wire.ServiceState =
            switch service.state {
            case .waiting: .waiting
            case .answers: .answers
            case .absent: .absent
            case .silent: .silent
            }
        self.init(name: service.name, state: state)
    }
}
