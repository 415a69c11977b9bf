import FerryHTTP
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
        _ = machine.start()
        _ = machine.checkedSource(nil)
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
        #expect(machine.start() == [.checkSource])
        #expect(machine.checkedSource(nil) == [.send])
    }

    @Test func `BG-42: a file that has changed is not sent`() {
        var machine = machine()
        _ = machine.start()
        #expect(machine.checkedSource(changed) == [.fail(changed)])
        #expect(machine.hasEnded)
    }

    @Test func `BG-42: what is wrong with the file explains the end of the exchange`() {
        var machine = sending()
        #expect(machine.loadFinished(lost, sourceFailure: changed) == [.fail(changed)])
    }

    @Test func `the answer goes to its file and is told when it is on the disk`() throws {
        var machine = sending()
        #expect(machine.sent(byteCount: 7) == [.reportSent(7)])
        let effects = machine.receivedHead(head(5), to: request)
        #expect(effects.last == .reportResponse(head(5), request))
        #expect(machine.receivedBytes(count: 5) == [.write, .reportReceived(5, total: 5)])
        #expect(machine.loadFinished(nil, sourceFailure: nil) == [.synchronize])
        let result = UploadResult(
            response: head(5),
            currentRequest: request,
            sentByteCount: 7,
            receivedByteCount: 5
        )
        #expect(machine.synchronized() == [.finish(result)])
    }

    @Test func `an answer may come while bytes still leave`() {
        var machine = sending()
        _ = machine.receivedHead(head(), to: request)
        #expect(machine.sent(byteCount: 9) == [.reportSent(9)])
    }

    @Test func `an answer that announces too much is not begun`() {
        var machine = sending(limit: 4)
        let effects = machine.receivedHead(head(5), to: request)
        #expect(effects.first == .cancelLoad)
        #expect(machine.hasEnded)
    }

    @Test func `an answer that becomes too long is given up`() {
        var machine = sending(limit: 4)
        _ = machine.receivedHead(head(), to: request)
        #expect(machine.receivedBytes(count: 5).first == .cancelLoad)
        #expect(machine.hasEnded)
    }

    @Test func `a load without an answer is a failure`() {
        var machine = sending()
        guard case .fail(let error) = machine.loadFinished(nil, sourceFailure: nil).last else {
            Issue.record("it goes on")
            return
        }
        #expect(error.code == .badServerResponse)
    }

    @Test func `after a cancellation nothing has an effect`() {
        var machine = sending()
        #expect(machine.cancel() == [.cancelLoad])
        #expect(machine.sent(byteCount: 1) == [])
        #expect(machine.receivedHead(head(), to: request) == [])
        #expect(machine.receivedBytes(count: 1) == [])
        #expect(machine.loadFinished(nil, sourceFailure: nil) == [])
        #expect(machine.fileFailed(lost) == [])
        #expect(machine.synchronized() == [])
        #expect(machine.cancel() == [])
    }

    @Test func `an upload that was cancelled at once never begins`() {
        var machine = machine()
        #expect(machine.cancel() == [])
        #expect(machine.start() == [])
    }

    @Test func `a file for the answer that cannot be written fails the upload`() {
        var machine = sending()
        let full = TransferError(code: .diskFull, message: "")
        _ = machine.receivedHead(head(), to: request)
        #expect(machine.fileFailed(full) == [.cancelLoad, .fail(full)])
    }

    @Test func `SEC-6: an answer's file that others change is no changed source`() {
        var machine = sending()
        let error = TransferError(code: .cannotWriteToFile, message: "")
        #expect(machine.fileFailed(changed) == [.cancelLoad, .fail(error)])
    }
}
