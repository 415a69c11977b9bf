import Glibc

/// A message of the bus, while it is being handled; its values are read in order.
struct BusMessage {
    private let library: SystemdLibrary
    private let message: OpaquePointer

    init(_ library: SystemdLibrary, _ message: OpaquePointer) {
        self.library = library
        self.message = message
    }

    /// The reason why a call has failed, if the message is an error reply to one.
    var errorText: String? {
        guard library.isError(message, nil) > 0 else { return nil }
        // sd_bus_error(3): its name, then its description, which may be missing.
        let texts = library.error(message)?.assumingMemoryBound(to: SystemdLibrary.Text?.self)
        return (texts?[1] ?? texts?[0]).map { String(cString: $0) } ?? "unknown error"
    }

    /// The next value, whatever its type; nil if there is none, or it is malformed.
    ///
    /// Of a variant, it is the value in it.
    func value() -> BusValue? {
        guard let (type, contents) = next() else { return nil }
        switch type {
        case "b": return boolean().map(BusValue.boolean)
        case "i": return read(type, 0 as Int32).map(BusValue.int32)
        case "u": return read(type, 0 as UInt32).map(BusValue.uint32)
        case "t": return read(type, 0 as UInt64).map(BusValue.uint64)
        case "s": return text(type).map(BusValue.string)
        case "o": return text(type).map(BusValue.objectPath)
        case "v": return inside(type, contents) { value() }
        case "a" where contents == "o":
            let paths = inside(type, contents) { elements { text("o") } }
            return paths.map(BusValue.objectPaths)
        default: return skip(type, contents) ? .other : nil
        }
    }

    /// The next value, if it is a dictionary from names to variants, as properties are sent.
    func properties() -> [String: BusValue]? {
        guard let (type, contents) = next(), type == "a", contents == "{sv}" else { return nil }
        let pairs = inside(type, contents) {
            elements { () -> (String, BusValue)? in
                inside("e", "sv") {
                    guard let name = text("s"), let value = value() else { return nil }
                    return (name, value)
                }
            }
        }
        // A name that is there twice has its last value.
        return pairs.map { Dictionary($0) { $1 } }
    }

    /// The next value, if it is a boolean.
    func boolean() -> Bool? { read("b", 0 as Int32).map { $0 != 0 } }

    /// The next value, if it is a string.
    func string() -> String? { text("s") }

    /// The next value, if it is a variant that holds an unsigned integer of 64 bits.
    func integer() -> UInt64? {
        guard case .uint64(let value) = value() else { return nil }
        return value
    }

    /// The next value, if it is a descriptor: a duplicate that the caller owns, closed on exec.
    func descriptor() -> Int32? {
        guard let value = read("h", -1 as Int32) else { return nil }
        // The message closes its own descriptor.
        let own = fcntl(value, F_DUPFD_CLOEXEC, 3)
        return own < 0 ? nil : own
    }

    /// The type of the next value, and what it consists of if it is a container.
    private func next() -> (type: Unicode.Scalar, contents: String)? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard library.peek(message, &type, &contents) > 0 else { return nil }
        let scalar = Unicode.Scalar(UInt8(bitPattern: type))
        return (scalar, contents.map { String(cString: $0) } ?? "")
    }

    /// Reads what is in a container; nil if `body` returns nil, or there is more.
    private func inside<Value>(
        _ type: Unicode.Scalar,
        _ contents: String,
        _ body: () -> Value?
    ) -> Value? {
        guard library.enter(message, Self.character(type), contents) > 0, let value = body(),
            library.leave(message) >= 0
        else { return nil }
        return value
    }

    /// Reads all elements of the array that has been entered.
    private func elements<Value>(_ body: () -> Value?) -> [Value]? {
        var values: [Value] = []
        while next() != nil {
            guard let value = body() else { return nil }
            values.append(value)
        }
        return values
    }

    private func skip(_ type: Unicode.Scalar, _ contents: String) -> Bool {
        let signature =
            switch type {
            case "a": "a" + contents
            case "r": "(\(contents))"
            default: String(type)
            }
        return library.skip(message, signature) >= 0
    }

    private func text(_ type: Unicode.Scalar) -> String? {
        // The bytes belong to the message.
        let bytes: UnsafePointer<CChar>? = nil
        guard case .some(.some(let text)) = read(type, bytes) else { return nil }
        return String(cString: text)
    }

    private func read<Value>(_ type: Unicode.Scalar, _ initial: Value) -> Value? {
        var value = initial
        let code = withUnsafeMutablePointer(to: &value) {
            library.read(message, Self.character(type), $0)
        }
        return code > 0 ? value : nil
    }

    private static func character(_ scalar: Unicode.Scalar) -> CChar {
        CChar(truncatingIfNeeded: scalar.value)
    }
}

/// The answer to a call over the bus.
enum BusAnswer {
    /// The reply, while it is being handled.
    case message(BusMessage)
    /// The reason, for people, why the call has failed.
    case failure(String)

    /// The reply, if there is one.
    var message: BusMessage? {
        if case .message(let message) = self { message } else { nil }
    }
}

/// A value in a message.
enum BusValue: Hashable, Sendable {
    case boolean(Bool)
    case int32(Int32)
    case uint32(UInt32)
    case uint64(UInt64)
    case string(String)
    case objectPath(String)
    case objectPaths([String])
    /// A value of a type that nothing here reads.
    case other
}
