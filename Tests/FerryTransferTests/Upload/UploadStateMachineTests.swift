import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5)))
struct UploadStateMachineTests {
    let request = TransferRequest(url: "http://example.com/upload", method: "POST")
    let changed = TransferError(code: .fileChanged, message: "")
    let lost = TransferError(code: .connectionLost, message: "")

    private func machine(limit: Int64 = 100) -> Upload.StateMachine {
        Upload.StateMachine(
            request: request,
            configuration: Upload.Configuration(greatestAnswerByteCount: limit)
        )
    }

    private func sending(limit: Int64 = 100) -> Upload.StateMachine {
        var machine = machine(limit: limit)
        _ = machine.after { $0.start() }
        _ = machine.after { $0.checkedSource(nil) }
        return machine
    }

    private func head(_ length: Int? = nil) -> HTTPResponseHead {
        HTTPResponseHead(
            status: 200,
            fields: length.map { [HTTPField(name: "Content-Length", value: "\($0)")] } ?? [],
            url: request.url
        )
    }

    @Test func `BG-42: nothing is sent before the file was looked at`() {
        var machine = machine()
        #expect(machine.after { $0.start() } == [.checkSource])
        #expect(machine.after { $0.checkedSource(nil) } == [.send])
    }

    @Test func `BG-42: a file that has changed is not sent`() {
        var machine = machine()
        _ = machine.after { $0.start() }
        #expect(machine.after { $0.checkedSource(changed) } == [.fail(changed)])
        #expect(machine.hasEnded)
    }

    @Test func `BG-42: what is wrong with the file explains the end of the exchange`() {
        var machine = sending()
        #expect(machine.after { $0.loadFinished(lost, sourceFailure: changed) } == [.fail(changed)])
    }

    @Test func `the answer goes to its file and is told when it is on the disk`() throws {
        var machine = sending()
        #expect(machine.after { $0.sent(byteCount: 7) } == [.reportSent(7)])
        let effects = machine.after { $0.receivedHead(head(5), to: request) }
        #expect(effects.last == .reportResponse(head(5), request))
        let isWanted = machine.receivedBytes(count: 5)
        #expect(isWanted)
        #expect(machine.after { $0.wrote() } == [.reportReceived(5, total: 5)])
        #expect(machine.after { $0.loadFinished(nil, sourceFailure: nil) } == [.synchronize])
        let result = UploadResult(
            response: head(5),
            currentRequest: request,
            sentByteCount: 7,
            receivedByteCount: 5
        )
        #expect(machine.after { $0.synchronized() } == [.finish(result)])
    }

    @Test func `an answer may come while bytes still leave`() {
        var machine = sending()
        _ = machine.after { $0.receivedHead(head(), to: request) }
        #expect(machine.after { $0.sent(byteCount: 9) } == [.reportSent(9)])
    }

    @Test func `an answer that announces too much is not begun`() {
        var machine = sending(limit: 4)
        let effects = machine.after { $0.receivedHead(head(5), to: request) }
        #expect(effects.first == .cancelLoad)
        #expect(machine.hasEnded)
    }

    @Test func `an answer that becomes too long is given up`() {
        var machine = sending(limit: 4)
        _ = machine.after { $0.receivedHead(head(), to: request) }
        #expect(machine.after { _ = $0.receivedBytes(count: 5) }.first == .cancelLoad)
        #expect(machine.hasEnded)
    }

    @Test func `a load without an answer is a failure`() {
        var machine = sending()
        let effects = machine.after { $0.loadFinished(nil, sourceFailure: nil) }
        guard case .fail(let error) = effects.last else {
            Issue.record("it goes on")
            return
        }
        #expect(error.code == .badServerResponse)
    }

    @Test func `after a cancellation nothing has an effect`() {
        var machine = sending()
        #expect(machine.after { $0.cancel() } == [.cancelLoad])
        #expect(machine.after { $0.sent(byteCount: 1) } == [])
        #expect(machine.after { $0.receivedHead(head(), to: request) } == [])
        let isWanted = machine.receivedBytes(count: 1)
        #expect(!isWanted)
        #expect(machine.after { $0.wrote() } == [])
        #expect(machine.after { $0.loadFinished(nil, sourceFailure: nil) } == [])
        #expect(machine.after { $0.fileFailed(lost) } == [])
        #expect(machine.after { $0.synchronized() } == [])
        #expect(machine.after { $0.cancel() } == [])
    }

    @Test func `an upload that was cancelled at once never begins`() {
        var machine = machine()
        #expect(machine.after { $0.cancel() } == [])
        #expect(machine.after { $0.start() } == [])
    }

    @Test func `a file for the answer that cannot be written fails the upload`() {
        var machine = sending()
        let full = TransferError(code: .diskFull, message: "")
        _ = machine.after { $0.receivedHead(head(), to: request) }
        #expect(machine.after { $0.fileFailed(full) } == [.cancelLoad, .fail(full)])
    }

    @Test func `SEC-6: an answer's file that others change is no changed source`() {
        var machine = sending()
        let error = TransferError(code: .cannotWriteToFile, message: "")
        #expect(machine.after { $0.fileFailed(changed) } == [.cancelLoad, .fail(error)])
    }
}
