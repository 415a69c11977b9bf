import FerryWireTestSupport
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
        #expect(Set(interface.types.keys) == Set(InterfaceTypes.types.keys))
        #expect(
            Set(interface.methods.keys.map { "\(Wire.interface).\($0)" })
                == Set(TransferRoute.byMethod.keys)
        )
        #expect(
            Set(interface.errors.keys.map { "\(Wire.interface).\($0)" })
                == Set(Samples.errors.map { ErrorMessage.transfer($0).name })
        )
    }

    @Test(arguments: InterfaceTypes.types.keys.sorted())
    func `a type is read and written as the text says`(name: String) throws {
        let type = try #require(InterfaceTypes.types[name])
        try check(type, against: try #require(interface.types[name]), at: name)
    }

    @Test(arguments: InterfaceTypes.methods.keys.sorted())
    func `a method's parameters and reply are as the text says`(name: String) throws {
        let types = try #require(InterfaceTypes.methods[name])
        let method = try #require(interface.methods[name])
        try check(types.0, against: method.parameters, at: "\(name)()")
        try check(types.1, against: method.reply, at: "\(name) ->")
    }

    @Test(arguments: Samples.errors)
    func `an error's members are those of the text`(error: TransferInterfaceError) throws {
        let type = try #require(interface.errors[error.name])
        let value = try parameters(of: .transfer(error))
        #expect(interface.differences(value, from: type, at: error.name) == [])
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
            let type = try #require(service.errors[error.name])
            let value = try parameters(of: .service(error))
            #expect(service.differences(value, from: type, at: error.name) == [])
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
    private func check(
        _ type: any JSONCodable.Type,
        against text: InterfaceType,
        at path: String
    ) throws {
        for value in interface.samples(of: text) {
            #expect(try rewritten(value, type) == value, "\(path)")
            guard case .structure(let fields) = text, case .object(let members) = value else {
                continue
            }
            for (name, fieldType) in fields {
                var rest = members
                rest[name] = nil
                if fieldType.isNullable {
                    #expect(try rewritten(.object(rest), type) == .object(rest), "\(path).\(name)")
                    let null = members.merging([name: .null]) { $1 }
                    #expect(try rewritten(.object(null), type) == .object(rest), "\(path).\(name)")
                } else {
                    #expect(throws: MessageError.self, "\(path).\(name)") {
                        try rewritten(.object(rest), type)
                    }
                }
            }
        }
    }

    /// What is written of what is read.
    private func rewritten(_ value: JSONValue, _ type: any JSONCodable.Type) throws -> JSONValue {
        func rewrite<Value: JSONCodable>(_: Value.Type) throws -> JSONValue {
            let read = try MessageCoding.decode(Value.self, from: try JSONEncoder().encode(value))
            return try json(read)
        }
        return try rewrite(type)
    }

    private func json(_ value: some JSONCodable) throws -> JSONValue {
        try JSONValue(parsing: Data(try MessageCoding.encode(value)))
    }

    private func parameters(of error: ErrorMessage) throws -> JSONValue {
        let message = MessageCoding.message(failing: error).dropLast()
        return try #require(try JSONValue(parsing: Data(message))["parameters"])
    }
}
