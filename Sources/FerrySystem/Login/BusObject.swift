/// Something at the system bus that has methods, properties and signals.
struct BusObject: Hashable, Sendable {
    let service: String
    let path: String
    let interface: String
}
