import Glibc

/// A message of the bus, while it is being handled; its values are read in order.
struct BusMessage {
    private let library: SystemdLibrary
    private let message: OpaquePointer

    init(_ library: SystemdLibrary, _ message: OpaquePointer) {
        self.library = library
        self.message = message
    }

    /// Whether the message is an error reply to a call.
    var isError: Bool { library.isError(message, nil) > 0 }

    /// The next value, if it is a boolean.
    func boolean() -> Bool? {
        var value: Int32 = 0
        return read("b", into: &value) ? value != 0 : nil
    }

    /// The next value, if it is a variant that holds an unsigned integer of 64 bits.
    func integer() -> UInt64? {
        var value: UInt64 = 0
        guard library.enter(message, Self.type("v"), "t") > 0, read("t", into: &value) else {
            return nil
        }
        return value
    }

    /// The next value, if it is a descriptor: a duplicate that the caller owns, closed on exec.
    func descriptor() -> Int32? {
        var value: Int32 = -1
        guard read("h", into: &value) else { return nil }
        // The message closes its own descriptor.
        let own = fcntl(value, F_DUPFD_CLOEXEC, 3)
        return own < 0 ? nil : own
    }

    private func read<Value>(_ type: Unicode.Scalar, into value: inout Value) -> Bool {
        withUnsafeMutablePointer(to: &value) { library.read(message, Self.type(type), $0) > 0 }
    }

    private static func type(_ scalar: Unicode.Scalar) -> CChar {
        CChar(truncatingIfNeeded: scalar.value)
    }
}
