import Foundation

/// Any JSON value, to look at messages without knowing their types.
enum JSONValue: Encodable, Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads a text.
    ///
    /// Not by a decoder: trying one type after the other throws so many errors, each of which the
    /// testing library takes a backtrace of, that large tests would take minutes.
    init(parsing text: Data) throws {
        self.init(try JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed))
    }

    private init(_ value: Any) {
        switch value {
        case let members as [String: Any]: self = .object(members.mapValues { JSONValue($0) })
        case let values as [Any]: self = .array(values.map { JSONValue($0) })
        case let value as String: self = .string(value)
        case let value as NSNumber: self.init(value)
        default: self = .null
        }
    }

    private init(_ value: NSNumber) {
        switch value.objCType[0] {
        case CChar(UInt8(ascii: "c")), CChar(UInt8(ascii: "B")): self = .bool(value.boolValue)
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): self = .float(value.doubleValue)
        default: self = .int(value.int64Value)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var string: String? { if case .string(let value) = self { value } else { nil } }
    var int: Int64? { if case .int(let value) = self { value } else { nil } }
}
