import Foundation
import Testing

@testable import FerryWire

/// The interface's text against the code, both ways.
@Suite(.timeLimit(.minutes(5))) struct InterfaceTextTests {
    private let interface: InterfaceText

    init() throws {
        interface = try InterfaceText(parsing: Wire.description)
    }

    @Test func `every name in the text is one in the code and the other way round`() {
        #expect(interface.name == Wire.interface)
        #expect(
            Set(interface.types.keys)
                == Set(Samples.types.keys).union(Samples.enumerations.keys)
        )
        #expect(Set(interface.methods.keys) == Set(MethodSample.all.map(\.name)))
        #expect(
            Set(interface.methods.keys.map { "\(Wire.interface).\($0)" })
                == Set(TransferCall.decodings.keys)
        )
        #expect(
            Set(interface.errors.keys.map { "\(Wire.interface).\($0)" })
                == Set(Samples.errors.map { ErrorMessage($0).error })
        )
    }

    @Test(arguments: Samples.types.keys.sorted())
    func `a type's members are those of the text`(name: String) throws {
        guard let sample = Samples.types[name] else { return }
        try check(sample, against: try #require(interface.types[name]), at: name)
    }

    @Test(arguments: Samples.enumerations.keys.sorted())
    func `an enumeration's cases are those of the text, in their order`(name: String) throws {
        let cases = try #require(Samples.enumerations[name])
        #expect(interface.types[name] == .enumeration(cases))
    }

    @Test(arguments: MethodSample.all)
    func `a method's parameters and reply are those of the text`(sample: MethodSample) throws {
        let method = try #require(interface.methods[sample.name])
        try check(sample.parameters, against: method.parameters, at: "\(sample.name)()")
        try check(sample.reply, against: method.reply, at: "\(sample.name) ->")
    }

    @Test(arguments: Samples.errors)
    func `an error's members are those of the text`(error: TransferInterfaceError) throws {
        let message = ErrorMessage(error)
        let name = message.error.split(separator: ".").last.map(String.init) ?? ""
        let type = try #require(interface.errors[name])
        let value = try json(message.parameters)
        #expect(interface.differences(value, from: type, at: message.error) == [])
    }

    @Test func `no member's name begins with an underscore`() {
        // Such a name is one that python's client cannot read.
        #expect(!Wire.description.contains(/^\s*_/.anchorsMatchLineEndings()))
    }

    @Test func `the standard interface's text is well formed`() throws {
        let service = try InterfaceText(parsing: ServiceInformation.description)
        #expect(service.name == ServiceInformation.interface)
        #expect(Set(service.methods.keys) == ["GetInfo", "GetInterfaceDescription"])
        for error in Samples.serviceErrors {
            let message = ErrorMessage(error)
            let name = message.error.split(separator: ".").last.map(String.init) ?? ""
            let type = try #require(service.errors[name])
            let value = try json(message.parameters)
            #expect(service.differences(value, from: type, at: name) == [])
        }
    }

    @Test func `a difference between the text and the code is found`() throws {
        let text = try InterfaceText(
            parsing: "interface a.b\ntype T (one: int, two: ?string)\ntype E (x, y)"
        )
        let type = try #require(text.types["T"])
        func differences(_ members: [String: JSONValue]) -> Int {
            text.differences(.object(members), from: type, at: "T").count
        }
        #expect(differences(["one": .int(1), "two": .string("")]) == 0)
        #expect(differences(["one": .float(1.5), "two": .string("")]) == 1)
        #expect(differences(["one": .int(1)]) == 1)
        #expect(differences(["one": .int(1), "two": .string(""), "three": .null]) == 1)
        #expect(text.differences(.string("z"), from: .named("E"), at: "E").count == 1)
    }

    /// Checks the members, that exactly the nullable ones may be missing, and that nothing changes
    /// on the way over the wire.
    private func check<Value: Codable & Hashable>(
        _ sample: Value,
        against type: InterfaceType,
        at path: String
    ) throws {
        let value = try json(sample)
        #expect(interface.differences(value, from: type, at: path) == [])
        #expect(try decode(Value.self, value) == sample)
        guard case .structure(let fields) = type, case .object(let members) = value else { return }
        for (name, fieldType) in fields {
            var rest = members
            rest[name] = nil
            if fieldType.isNullable {
                let without = try decode(Value.self, .object(rest))
                #expect(try json(without) == .object(rest), "\(path).\(name)")
                rest[name] = .null
                #expect(try decode(Value.self, .object(rest)) == without, "\(path).\(name)")
            } else {
                #expect(throws: MessageError.self, "\(path).\(name)") {
                    try decode(Value.self, .object(rest))
                }
            }
        }
    }

    private func json(_ value: some Encodable) throws -> JSONValue {
        try JSONValue(parsing: try MessageCoding.encode(value))
    }

    private func decode<Value: Decodable>(_: Value.Type, _ json: JSONValue) throws -> Value {
        try MessageCoding.decode(from: try MessageCoding.encode(json))
    }
}
