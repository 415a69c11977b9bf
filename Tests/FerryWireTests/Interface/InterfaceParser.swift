/// Reads the Varlink interface definition language.
struct InterfaceParser {
    struct Problem: Error {
        var what: String
    }

    private var tokens: ArraySlice<String>

    init(_ text: String) {
        var found: [String] = []
        var word = ""
        func endWord() {
            if !word.isEmpty { found.append(word) }
            word = ""
        }
        for line in text.split(separator: "\n") {
            for character in line.prefix(while: { $0 != "#" }) {
                if character.isLetter || character.isNumber || "._->[]".contains(character) {
                    // "[]" and "[string]" are prefixes of the type that follows without a space.
                    if character == "[" { endWord() }
                    word.append(character)
                    if character == "]" { endWord() }
                } else {
                    endWord()
                    if !character.isWhitespace { found.append(String(character)) }
                }
            }
            endWord()
        }
        tokens = found[...]
    }

    mutating func take() -> String? { tokens.popFirst() }

    mutating func expect(_ token: String) throws {
        let found = take()
        guard found == token else {
            throw Problem(what: "\(token) expected, found \(found ?? "the end")")
        }
    }

    mutating func name() throws -> String {
        guard let token = take(), token.first?.isLetter == true else {
            throw Problem(what: "a name expected")
        }
        return token
    }

    mutating func type() throws -> InterfaceType {
        switch tokens.first {
        case "?":
            _ = take()
            return .nullable(try type())
        case "[]":
            _ = take()
            return .array(try type())
        case "[string]":
            _ = take()
            return .map(try type())
        case "(":
            return try structureOrEnumeration()
        default:
            let name = try name()
            return switch name {
            case "bool": .bool
            case "int": .int
            case "float": .float
            case "string": .string
            case "object": .object
            default: .named(name)
            }
        }
    }

    private mutating func structureOrEnumeration() throws -> InterfaceType {
        try expect("(")
        var fields: [String: InterfaceType] = [:]
        var cases: [String] = []
        while tokens.first != ")" {
            let name = try name()
            if tokens.first == ":" {
                _ = take()
                guard fields.updateValue(try type(), forKey: name) == nil else {
                    throw Problem(what: "\(name) is there twice")
                }
            } else {
                cases.append(name)
            }
            guard tokens.first == "," else { break }
            _ = take()
        }
        try expect(")")
        if cases.isEmpty { return .structure(fields) }
        guard fields.isEmpty else { throw Problem(what: "fields among cases") }
        return .enumeration(cases)
    }
}

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
