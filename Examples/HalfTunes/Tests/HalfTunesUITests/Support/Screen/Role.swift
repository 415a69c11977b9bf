/// What kind of thing something is to a screen reader; the numbers are those of AT-SPI.
struct Role: RawRepresentable, Hashable {
    var rawValue: UInt32

    static let menuItem = Role(rawValue: 35)
    static let tabList = Role(rawValue: 38)
    static let button = Role(rawValue: 43)
    static let scrollBar = Role(rawValue: 48)
    static let entry = Role(rawValue: 79)
}
