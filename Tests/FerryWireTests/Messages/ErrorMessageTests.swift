import Foundation
import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(5))) struct ErrorMessageTests {
    @Test(arguments: Samples.errors)
    func `an error of the interface survives the wire`(error: TransferInterfaceError) throws {
        let text = try MessageCoding.encode(ErrorMessage(error))
        let message: ErrorMessage = try MessageCoding.decode(from: text)
        #expect(CallError(message) == .refused(error))
    }

    @Test(arguments: Samples.serviceErrors)
    func `an error of every service survives the wire`(error: ServiceError) throws {
        let text = try MessageCoding.encode(ErrorMessage(error))
        let message: ErrorMessage = try MessageCoding.decode(from: text)
        #expect(CallError(message) == .notUnderstood(error))
    }

    @Test(arguments: [
        #"{"error":"io.ferry.Transfer.New","parameters":{}}"#,
        #"{"error":"io.ferry.Transfer.TaskNotFound","parameters":{}}"#,
        #"{"error":"io.ferry.Transfer.TaskNotFound"}"#,
        #"{"error":"io.ferry.Transfer.TaskNotFound","parameters":{"id":"x"}}"#,
        #"{"error":"org.varlink.service.New"}"#, #"{"error":"other"}"#,
    ])
    func `an error that is not known keeps its name`(text: String) throws {
        let message: ErrorMessage = try MessageCoding.decode(from: Data(text.utf8))
        #expect(CallError(message) == .unknown(name: message.error))
    }
}
