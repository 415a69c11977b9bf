import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

extension DownloadStateMachineTests {
    @Test func `a cancel before the start leaves nothing to do`() {
        var machine = machine()
        #expect(machine.after { $0.cancel() } == [.cancelLoads])
        #expect(machine.after { $0.start(holding: nil) } == [])
        #expect(machine.after { $0.cancel() } == [.cancelLoads])
    }

    @Test func `a head that was on its way when the download was cancelled is ignored`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        #expect(machine.after { $0.cancel() } == [.cancelLoads])
        #expect(answer(&machine, Self.head()) == [])
        #expect(machine.after { $0.receivedBytes(count: 5) } == [])
        #expect(machine.after { $0.wrote(count: 5) } == [])
        #expect(machine.after { $0.loadFinished(nil) } == [])
        #expect(machine.after { $0.synchronized() } == [])
        #expect(machine.after { $0.fileFailed(TransferError(code: .diskFull, message: "")) } == [])
    }

    @Test func `a cancel while the body comes, or is left, ends the exchange`() {
        var receiving = machine()
        _ = receiving.after { $0.start(holding: nil) }
        _ = answer(&receiving, Self.head())
        #expect(receiving.after { $0.cancel() } == [.cancelLoads])
        var draining = machine()
        _ = draining.after { $0.start(holding: nil) }
        _ = answer(&draining, Self.head(302, [("Location", "/x"), ("Content-Length", "5")]))
        #expect(draining.after { $0.cancel() } == [.cancelLoads])
        #expect(draining.after { $0.loadFinished(nil) } == [])
    }

    @Test func `a cancel while the last bytes go to the disk wins`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        _ = answer(&machine, Self.head(200, [("Content-Length", "0")]))
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
        #expect(machine.after { $0.cancel() } == [.cancelLoads])
        #expect(machine.after { $0.synchronized() } == [])
    }

    @Test func `a full disk ends the exchange and the download`() {
        let full = TransferError(code: .diskFull, message: "")
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        _ = answer(&machine, Self.head())
        _ = machine.after { $0.receivedBytes(count: 50) }
        _ = machine.after { $0.wrote(count: 20) }
        #expect(machine.after { $0.fileFailed(full) } == [.cancelLoads, .fail(full)])
        #expect(machine.receivedByteCount == 20)
        #expect(machine.after { $0.fileFailed(full) } == [])
        #expect(machine.after { $0.cancel() } == [.cancelLoads])
    }

    @Test func `a disk that fails at the last moment fails the download`() {
        let broken = TransferError(code: .cannotWriteToFile, message: "")
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        _ = answer(&machine, Self.head(200, [("Content-Length", "0")]))
        _ = machine.after { $0.loadFinished(nil) }
        #expect(machine.after { $0.fileFailed(broken) } == [.cancelLoads, .fail(broken)])
        #expect(machine.after { $0.synchronized() } == [])
    }

    @Test func `a file that cannot be opened fails the download before any request`() {
        let broken = TransferError(code: .cannotCreateFile, message: "")
        var machine = machine()
        #expect(machine.after { $0.fileFailed(broken) } == [.cancelLoads, .fail(broken)])
        #expect(machine.after { $0.start(holding: nil) } == [])
    }

    /// Takes the next effect, as an owner does.
    private func next(_ machine: inout Machine) -> Effect? { machine.effects.next() }

    @Test func `a cancel while a failure is reported ends the loads, and nothing more is reported`()
    {
        var machine = machine(unavailable: .fail)
        _ = machine.after { $0.start(holding: Self.held) }
        machine.receivedHead(Self.head(404), to: Self.request, now: Self.now)
        _ = machine.effects.begin()
        #expect(next(&machine) == .reportResponse(Self.head(404), Self.request))
        machine.cancel()
        #expect(next(&machine) == .cancelLoads)
        #expect(next(&machine) == nil)
    }

    @Test func `a failure is reported even if the file cannot be discarded`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        _ = answer(&machine, Self.head(200, [("Content-Length", "5")]))
        _ = machine.after { $0.wrote(count: 5) }
        machine.receivedBytes(count: 1)
        _ = machine.effects.begin()
        #expect(next(&machine) == .cancelLoads)
        #expect(next(&machine) == .discardFile)
        machine.fileFailed(TransferError(code: .cannotWriteToFile, message: ""))
        guard case .fail(let error)? = next(&machine) else {
            Issue.record("no end is reported")
            return
        }
        #expect(error.code == .badServerResponse)
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
                    case 0:
                        machine.after { $0.start(holding: generator.happens(50) ? Self.held : nil) }
                    case 1: answer(&machine, heads[generator.below(heads.count)])
                    case 2: machine.after { $0.receivedBytes(count: generator.below(70)) }
                    case 3: machine.after { $0.wrote(count: generator.below(70)) }
                    case 4:
                        machine.after { $0.loadFinished(generator.happens(50) ? nil : Self.lost) }
                    case 5: machine.after { $0.synchronized() }
                    case 6:
                        machine.after { $0.fileFailed(TransferError(code: .diskFull, message: "")) }
                    case 7: machine.after { $0.compareFailed() }
                    default: generator.happens(20) ? machine.after { $0.cancel() } : []
                    }
                #expect(endCount == 0 || effects.allSatisfy { $0 == .cancelLoads })
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
        _ = machine.after { $0.start(holding: nil) }
        let effects = machine.after { $0.receivedBytes(count: 1) }
        #expect(effects.first == .cancelLoads)
        #expect(failure(effects)?.code == .internalFailure)
        #expect(failure(effects)?.message == "receivedBytes(count:) while requesting")
        var twice = self.machine()
        _ = twice.after { $0.start(holding: nil) }
        #expect(failure(twice.after { $0.start(holding: nil) })?.code == .internalFailure)
        var late = self.machine()
        _ = late.after { $0.start(holding: nil) }
        _ = answer(&late, Self.head())
        #expect(failure(answer(&late, Self.head()))?.code == .internalFailure)
    }
}
