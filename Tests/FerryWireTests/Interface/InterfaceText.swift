/// An interface, as its text says.
struct InterfaceText {
    struct Method {
        var parameters: InterfaceType
        var reply: InterfaceType
    }

    var name = ""
    var types: [String: InterfaceType] = [:]
    var methods: [String: Method] = [:]
    var errors: [String: InterfaceType] = [:]

    init(parsing text: String) throws {
        var parser = InterfaceParser(text)
        try parser.expect("interface")
        name = try parser.name()
        while let keyword = parser.take() {
            let member = try parser.name()
            guard types[member] == nil, methods[member] == nil, errors[member] == nil else {
                throw InterfaceParser.Problem(what: "\(member) is there twice")
            }
            switch keyword {
            case "type":
                types[member] = try parser.type()
            case "method":
                let parameters = try parser.type()
                try parser.expect("->")
                methods[member] = Method(parameters: parameters, reply: try parser.type())
            case "error":
                errors[member] = try parser.type()
            default:
                throw InterfaceParser.Problem(what: "what is \(keyword)?")
            }
        }
    }

    /// Values of a type with all their members, one for each name of an enumeration.
    func samples(of type: InterfaceType) -> [JSONValue] {
        switch type {
        case .bool: [.bool(true)]
        case .int: [.int(4_711)]
        case .float: [.float(604_800.5)]
        // Also bytes in base64.
        case .string: [.string("c29tZQ==")]
        case .object: [.object([:])]
        case .named(let name): types[name].map { samples(of: $0) } ?? []
        case .nullable(let inner): samples(of: inner)
        case .array(let element): [.array(samples(of: element))]
        case .map(let element): samples(of: element).map { .object(["name": $0]) }
        case .enumeration(let cases): cases.map { .string($0) }
        case .structure(let fields): [.object(fields.compactMapValues { samples(of: $0).first })]
        }
    }

    /// Everything about `value` that is not as `type` says.
    func differences(
        _ value: JSONValue,
        from type: InterfaceType,
        at path: String
    ) -> [String] {
        switch (type, value) {
        case (.bool, .bool), (.int, .int), (.float, .float), (.string, .string), (.object, .object):
            return []
        case (.named(let name), _):
            guard let named = types[name] else { return ["\(path): no type \(name)"] }
            return differences(value, from: named, at: path)
        case (.nullable(let inner), _):
            return differences(value, from: inner, at: path)
        case (.array(let element), .array(let values)) where !values.isEmpty:
            return values.flatMap { differences($0, from: element, at: path + "[]") }
        case (.map(let element), .object(let members)) where !members.isEmpty:
            return members.flatMap { differences($1, from: element, at: "\(path)[\($0)]") }
        case (.enumeration(let cases), .string(let name)) where cases.contains(name):
            return []
        case (.structure(let fields), .object(let members)):
            let names = Set(fields.keys).symmetricDifference(members.keys).sorted()
            return names.map { "\(path).\($0): only in the text or only in the code" }
                + fields.flatMap { name, type in
                    members[name].map { differences($0, from: type, at: "\(path).\(name)") } ?? []
                }
        default:
            return ["\(path): the text says \(type), the code encodes \(value)"]
        }
    }
}
