import Glibc

/// Bytes as the kernel sends them, put together by hand.
enum NetworkMessageBytes {
    /// A message of a type around a body.
    static func message(
        _ type: UInt16,
        _ body: [UInt8] = [],
        flags: UInt16 = 0,
        sequence: UInt32 = 0,
        port: UInt32 = 0
    ) -> [UInt8] {
        let length = UInt32(16 + body.count)
        return number(length) + number(type) + number(flags) + number(sequence) + number(port)
            + padded(body)
    }

    /// The body of a message about a link.
    static func link(_ index: Int32, flags: UInt32, family: Int32 = AF_UNSPEC) -> [UInt8] {
        [UInt8(family), 0] + number(UInt16(1)) + number(index) + number(flags) + number(UInt32.max)
    }

    /// The body of a message about a route.
    static func route(
        family: Int32 = AF_INET,
        table: UInt8 = 254,
        type: UInt8 = 1,
        flags: UInt32 = 0,
        _ attributes: [UInt8] = []
    ) -> [UInt8] {
        [UInt8(family), 0, 0, 0, table, 0, 0, type] + number(flags) + attributes
    }

    /// An attribute of a type.
    static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        number(UInt16(4 + value.count)) + number(type) + padded(value)
    }

    /// The attribute that names a route's interface.
    static func interface(_ index: Int32) -> [UInt8] { attribute(4, number(index)) }

    /// The attribute with a route's destination.
    static func destination(_ bytes: [UInt8]) -> [UInt8] { attribute(1, bytes) }

    /// The attribute of a route that has several next hops.
    static func nextHops(_ interfaces: [Int32]) -> [UInt8] {
        let hops = interfaces.map { index in
            let gateway = attribute(5, [192, 0, 2, 1])
            return number(UInt16(8 + gateway.count)) + [0, 0] + number(index) + gateway
        }
        return attribute(9, hops.flatMap(\.self))
    }

    /// A number in this machine's order.
    static func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
}
