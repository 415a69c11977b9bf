import Foundation
import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(5))) struct IncomingCallTests {
    private func content(_ text: String) throws -> IncomingCall.Content {
        try IncomingCall(from: Data(text.utf8)).content
    }

    private func error(_ text: String) throws -> ServiceError? {
        if case .invalid(let error) = try content(text) { error } else { nil }
    }

    @Test(arguments: [
        (#""method":"GetTask","parameters":{}"#, "id"),
        (#""method":"GetTask""#, "id"),
        (#""parameters":{"id":"1"},"method":"GetTask""#, "id"),
        (#""method":"GetTask","parameters":null"#, "id"),
        (#""method":"GetTask","parameters":{"id":null}"#, "id"),
        (#""method":"GetTask","parameters":{"id":"1"}"#, "id"),
        (#""method":"GetTask","parameters":{"id":1.5}"#, "id"),
        (#""method":"GetTask","parameters":{"id":99999999999999999999}"#, "id"),
        (#""method":"GetTask","parameters":[1]"#, "parameters"),
        (#""method":"ListTasks","parameters":{"states":["sleeping"]}"#, "states[0]"),
        (
            #""method":"OpenSession","parameters":{"application":{"identifier":1}}"#,
            "application.identifier"
        ),
    ])
    func `a parameter that is missing or wrong is named`(members: String, name: String) throws {
        let text = members.replacing(#""method":""#, with: #""method":"io.ferry.Transfer."#)
        #expect(try error("{\(text)}") == .invalidParameter(name))
    }

    @Test(arguments: [
        ("io.ferry.Transfer.Nothing", ServiceError.methodNotFound("io.ferry.Transfer.Nothing")),
        ("org.varlink.service.Nothing", .methodNotFound("org.varlink.service.Nothing")),
        ("io.ferry.Other.GetTask", .interfaceNotFound("io.ferry.Other")),
        ("GetTask", .interfaceNotFound("")), ("", .interfaceNotFound("")),
        ("io.ferry.Transfer.", .methodNotFound("io.ferry.Transfer.")),
    ])
    func `a method that does not exist is named`(method: String, expected: ServiceError) throws {
        #expect(try error(#"{"method":"\#(method)"}"#) == expected)
    }

    @Test(arguments: [
        "", "x", "null", "7", "[]", "{}", #"{"method":7}"#, #"{"method":"a.b","more":"yes"}"#,
        #"{"method":"a.b""#, #"{"method":"a.b"}}"#, "{\"method\":\"a\u{7}b\"}",
        #"{"method":"a.b","method":"a.b"}"#, #"{"method":"a.b","parameters":{"x":tru}}"#,
        #"{"method":"io.ferry.Transfer.GetTask","parameters":{"id":"1","x":}}"#,
    ])
    func `what is no call is no message`(text: String) {
        #expect(throws: MessageError.self) { try content(text) }
    }

    @Test func `members that are not known are ignored`() throws {
        let call = try content(
            #"{"method":"io.ferry.Transfer.GetTask","parameters":{"id":1,"new":[]},"new":{}}"#
        )
        guard case .transfer = call else {
            Issue.record("\(call)")
            return
        }
    }

    @Test func `a stream that is not asked for, and an upgrade, are refused`() throws {
        let subscribe = #""method":"io.ferry.Transfer.Subscribe","parameters":{"session":1}"#
        #expect(try error("{\(subscribe)}") == .expectedMore)
        #expect(try error(#"{\#(subscribe),"more":false}"#) == .expectedMore)
        #expect(try error(#"{\#(subscribe),"more":true}"#) == nil)
        let status = #""method":"io.ferry.Transfer.GetStatus","upgrade":true"#
        #expect(
            try error("{\(status)}") == .methodNotImplemented("io.ferry.Transfer.GetStatus")
        )
    }
}
