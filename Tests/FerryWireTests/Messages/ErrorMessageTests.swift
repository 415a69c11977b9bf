import Foundation
import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(5))) struct ErrorMessageTests {
    @Test(arguments: Samples.errors)
    func `an error of the interface survives the wire`(error: TransferInterfaceError) throws {
        #expect(try read(MessageCoding.message(failing: .transfer(error))) == .refused(error))
    }

    @Test(arguments: Samples.serviceErrors)
    func `an error of every service survives the wire`(error: ServiceError) throws {
        let message = MessageCoding.message(failing: .service(error))
        #expect(try read(message) == .notUnderstood(error))
    }

    @Test func `who meets a daemon of another version is told what to do`() {
        let text = "\(CallError(.service(.methodNotFound("io.ferry.Transfer.New"))))"
        #expect(text.contains("io.ferry.Transfer.New"))
        #expect(text.contains("'ferry daemon stop' ends it"))
    }

    @Test(arguments: [
        #"{"error":"io.ferry.Transfer.New","parameters":{}}"#,
        #"{"error":"io.ferry.Transfer.TaskNotFound","parameters":{}}"#,
        #"{"error":"io.ferry.Transfer.TaskNotFound"}"#,
        #"{"error":"io.ferry.Transfer.TaskNotFound","parameters":{"id":"x"}}"#,
        #"{"error":"org.varlink.service.New"}"#, #"{"error":"other"}"#,
    ])
    func `an error that is not known keeps its name`(text: String) throws {
        let name = try JSONValue(parsing: Data(text.utf8))["error"]?.string
        #expect(try read(Array("\(text)\0".utf8)) == .unknown(name: try #require(name)))
    }

    @Test(arguments: [
        #"{"parameters":{"id":7},"error":"io.ferry.Transfer.TaskNotFound"}"#,
        #"{"error":"io.ferry.Transfer.TaskNotFound","parameters":{"id":7,"new":[]}}"#,
        #"{"continues":true,"parameters":{"id":7},"error":"io.ferry.Transfer.TaskNotFound"}"#,
    ])
    func `an error is read wherever its name stands`(text: String) throws {
        #expect(try read(Array("\(text)\0".utf8)) == .refused(.taskNotFound(id: 7)))
    }

    @Test func `an error that tells nothing needs no parameters`() throws {
        let text = #"{"error":"io.ferry.Transfer.PermissionDenied"}"#
        #expect(try read(Array("\(text)\0".utf8)) == .refused(.permissionDenied))
    }

    private func read(_ message: [UInt8]) throws -> CallError? {
        let reply = try IncomingReply<Wire.Empty>(from: Data(message.dropLast()))
        #expect(!reply.continues)
        if case .failure(let error) = reply.result { return error }
        return nil
    }
}
