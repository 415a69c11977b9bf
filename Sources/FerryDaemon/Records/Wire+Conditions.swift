import FerrySystem
import FerryWire

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
