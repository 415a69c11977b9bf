import FerryHTTP
import FerryWire

extension Wire.Field {
    /// A field as the daemon takes it.
    init(_ field: HTTPField) {
        self.init(name: field.name, value: field.value)
    }
}

extension HTTPField {
    /// A field as the daemon tells it.
    init(_ field: Wire.Field) {
        self.init(name: field.name, value: field.value)
    }
}
