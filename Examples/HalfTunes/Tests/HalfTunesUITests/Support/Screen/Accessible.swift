/// Something on the screen, as a screen reader finds it on the accessibility bus.
struct Accessible {
    let bus: MessageBus
    /// The name on the bus of the app it belongs to.
    let owner: String
    let path: String

    private static let interface = "org.a11y.atspi.Accessible"

    func name() throws -> String {
        let arguments = Variant.tuple(.string(Self.interface), .string("Name"))
        let properties = "org.freedesktop.DBus.Properties"
        return try bus.call(owner, path, "Get", in: properties, arguments)
            .first?.values.first?.text ?? ""
    }

    func role() throws -> Role {
        let answer = try bus.call(owner, path, "GetRole", in: Self.interface)
        return Role(rawValue: answer.first?.number ?? 0)
    }

    /// What is in it, without what is hidden.
    func children() throws -> [Accessible] {
        try bus.call(owner, path, "GetChildren", in: Self.interface).first?.values.map { child in
            let reference = child.values.map(\.text)
            return Accessible(bus: bus, owner: reference[0], path: reference[1])
        } ?? []
    }

    /// Does what a click would.
    func press() throws {
        try bus.call(
            owner,
            path,
            "DoAction",
            in: "org.a11y.atspi.Action",
            .tuple(.number(Int32(0)))
        )
    }

    /// Puts a text in place of what is there.
    func write(_ text: String) throws {
        let interface = "org.a11y.atspi.EditableText"
        try bus.call(owner, path, "SetTextContents", in: interface, .tuple(.string(text)))
    }

    /// Where it ends in its window, in pixels.
    func rightEdge() throws -> Int32 {
        let window = Variant.tuple(.number(UInt32(1)))
        let interface = "org.a11y.atspi.Component"
        let place = try bus.call(owner, path, "GetExtents", in: interface, window)
        let numbers = place.first?.values.map(\.signedNumber) ?? []
        guard numbers.count == 4 else { throw BusError(reason: "It has no place.") }
        return numbers[0] + numbers[2]
    }

    /// The first thing in it, from the top, with whose role and name a closure is content.
    func first(where body: (Accessible, Role, String) throws -> Bool) throws -> Accessible? {
        let (role, name) = (try role(), try name())
        if try body(self, role, name) { return self }
        // Each look costs a call over the bus, and these have much in them that no test reads.
        guard role != .tabList, role != .scrollBar else { return nil }
        for child in try children() {
            if let found = try child.first(where: body) { return found }
        }
        return nil
    }
}

/// What kind of thing something is to a screen reader; the numbers are those of AT-SPI.
struct Role: RawRepresentable, Hashable {
    var rawValue: UInt32

    static let menuItem = Role(rawValue: 35)
    static let tabList = Role(rawValue: 38)
    static let button = Role(rawValue: 43)
    static let scrollBar = Role(rawValue: 48)
    static let entry = Role(rawValue: 79)
}
