import FerryHTTP
import Testing

@testable import FerryTransfer

extension DownloadStateMachineTests {
    @Test func `a cancel before the start leaves nothing to do`() {
        var machine = machine()
        #expect(machine.cancel() == [])
        #expect(machine.start(holding: nil) == [])
        #expect(machine.cancel() == [])
    }

    @Test func `a head that was on its way when the download was cancelled is ignored`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        #expect(machine.cancel() == [.cancelLoad])
        #expect(answer(&machine, Self.head()) == [])
        #expect(machine.receivedBytes(count: 5) == [])
        #expect(machine.wrote(count: 5) == [])
        #expect(machine.loadFinished(nil) == [])
        #expect(machine.synchronized() == [])
        #expect(machine.fileFailed(TransferError(code: .diskFull, message: "")) == [])
    }

    @Test func `a cancel while the body comes, or is left, ends the exchange`() {
        var receiving = machine()
        _ = receiving.start(holding: nil)
        _ = answer(&receiving, Self.head())
        #expect(receiving.cancel() == [.cancelLoad])
        var draining = machine()
        _ = draining.start(holding: nil)
        _ = answer(&draining, Self.head(302, [("Location", "/x"), ("Content-Length", "5")]))
        #expect(draining.cancel() == [.cancelLoad])
        #expect(draining.loadFinished(nil) == [])
    }

    @Test func `a cancel while the last bytes go to the disk wins`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        _ = answer(&machine, Self.head(200, [("Content-Length", "0")]))
        #expect(machine.loadFinished(nil) == [.synchronize])
        #expect(machine.cancel() == [])
        #expect(machine.synchronized() == [])
    }

    @Test func `a full disk ends the exchange and the download`() {
        let full = TransferError(code: .diskFull, message: "")
        var machine = machine()
        _ = machine.start(holding: nil)
        _ = answer(&machine, Self.head())
        _ = machine.receivedBytes(count: 50)
        _ = machine.wrote(count: 20)
        #expect(machine.fileFailed(full) == [.cancelLoad, .fail(full)])
        #expect(machine.receivedByteCount == 20)
        #expect(machine.fileFailed(full) == [])
        #expect(machine.cancel() == [])
    }

    @Test func `a disk that fails at the last moment fails the download`() {
        let broken = TransferError(code: .cannotWriteToFile, message: "")
        var machine = machine()
        _ = machine.start(holding: nil)
        _ = answer(&machine, Self.head(200, [("Content-Length", "0")]))
        _ = machine.loadFinished(nil)
        #expect(machine.fileFailed(broken) == [.fail(broken)])
        #expect(machine.synchronized() == [])
    }

    @Test func `a file that cannot be opened fails the download before any request`() {
        let broken = TransferError(code: .cannotCreateFile, message: "")
        var machine = machine()
        #expect(machine.fileFailed(broken) == [.fail(broken)])
        #expect(machine.start(holding: nil) == [])
    }

    @Test func `inputs in any order lead to one end at most`() {
        var generator = SeededGenerator(seed: 1)
        let heads = [
            Self.head(), Self.part("bytes 40-99/100"), Self.part("bytes 0-99/100"), Self.head(416),
            Self.head(302, [("Location", "/x"), ("Content-Length", "5")]), Self.head(503),
            Self.head(302, [("Location", "/x")]),
        ]
        for _ in 0..<20_000 {
            var machine = machine(unavailable: generator.happens(50) ? .fail : .deliver)
            var endCount = 0
            for _ in 0..<12 {
                let effects =
                    switch generator.below(9) {
                    case 0: machine.start(holding: generator.happens(50) ? Self.held : nil)
                    case 1: answer(&machine, heads[generator.below(heads.count)])
                    case 2: machine.receivedBytes(count: generator.below(70))
                    case 3: machine.wrote(count: generator.below(70))
                    case 4: machine.loadFinished(generator.happens(50) ? nil : Self.lost)
                    case 5: machine.synchronized()
                    case 6: machine.fileFailed(TransferError(code: .diskFull, message: ""))
                    case 7: machine.compareFailed()
                    default: generator.happens(20) ? machine.cancel() : []
                    }
                #expect(endCount == 0 || effects.isEmpty)
                endCount += effects.count { effect in
                    switch effect {
                    case .finish, .fail: true
                    default: false
                    }
                }
            }
            #expect(endCount <= 1)
        }
    }

    @Test func `an impossible input ends this download, and names no secret`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        let effects = machine.receivedBytes(count: 1)
        #expect(effects.first == .cancelLoad)
        #expect(failure(effects)?.code == .internalFailure)
        #expect(failure(effects)?.message == "receivedBytes(count:) while requesting")
        var twice = self.machine()
        _ = twice.start(holding: nil)
        #expect(failure(twice.start(holding: nil))?.code == .internalFailure)
        var late = self.machine()
        _ = late.start(holding: nil)
        _ = answer(&late, Self.head())
        #expect(failure(answer(&late, Self.head()))?.code == .internalFailure)
    }
}
