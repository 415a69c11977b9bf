/// A type of the Varlink interface definition language.
indirect enum InterfaceType: Hashable {
    case bool
    case int
    case float
    case string
    case object
    case named(String)
    case nullable(InterfaceType)
    case array(InterfaceType)
    case map(InterfaceType)
    case structure([String: InterfaceType])
    case enumeration([String])

    var isNullable: Bool { if case .nullable = self { true } else { false } }
}
