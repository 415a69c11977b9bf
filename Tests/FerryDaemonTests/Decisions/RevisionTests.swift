import FerryStore
import FerryTransfer
import FerryWire
import Testing

@testable import FerryDaemon

/// Changes of a task that are made of what it was like.
@Suite(.timeLimit(.minutes(5))) struct RevisionTests {
    @Test func `a person's limits keep what the app has set while the store was asked`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        let rates = SharedRates(receive: 1000, send: nil)
        let person = bench.call(client) { $0.setRates(rates, ofTask: task, from: $1) }
        var options = Wire.TransferOptions()
        options.maximumConnections = 2
        let set = Wire.SetOptions(session: client.session, identifier: 1, options: options)
        let app = bench.call(client) { $0.setOptions(set, from: $1) }
        bench.settle()
        #expect(bench.outcomes[person] == .answer(.done))
        #expect(bench.outcomes[app] == .answer(.done))
        let stored = Stored.options(bench.stored(task)?.options)
        #expect(stored?.maximumConnections == 2)
        #expect(stored?.receiveRate == 1000)
        #expect(bench.machine.readings.isEmpty)
    }

    @Test func `the limits for all are those that were set last`() {
        var bench = MachineBench()
        let rates = SharedRates(receive: 1000, send: 2000)
        #expect(bench.person { $0.setRates(rates, from: $1) } == .done)
        #expect(bench.machine.rates == rates)
    }
}
