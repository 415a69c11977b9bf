import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// What follows when the settings change while the daemon runs.
@Suite(.timeLimit(.minutes(1))) struct SettingsChangeTests {
    private func options(
        _ policy: DaemonPolicy,
        _ rates: SharedRates = SharedRates()
    ) -> DaemonOptions {
        var options = DaemonOptions()
        options.policy = policy
        options.rates = rates
        return options
    }

    private func change(_ options: DaemonOptions, on bench: inout MachineBench) {
        bench.input { $0.settingsChanged(to: options) }
    }

    /// The limits of all transfers that were set, in order.
    private func limits(_ bench: MachineBench) -> [SharedRates] {
        bench.effects.compactMap { effect in
            if case .limitRates(let rates, session: nil) = effect { rates } else { nil }
        }
    }

    @Test func `more places are taken at once by tasks that wait`() {
        var bench = MachineBench(.limits(total: 9, host: 1))
        let client = bench.open(configuration: .limited(9))
        for identifier in 1...4 { bench.start(client, identifier, host: "a") }
        #expect(bench.loading == [1])
        change(options(.limits(total: 9, host: 3)), on: &bench)
        bench.settle()
        #expect(bench.loading == [1, 2, 3])
        change(options(.limits(total: 9, host: 9)), on: &bench)
        bench.settle()
        #expect(bench.loading == [1, 2, 3, 4])
    }

    @Test func `with fewer places nothing is stopped, and nothing starts until there is room`() {
        var bench = MachineBench(.limits(total: 3, host: 9))
        let client = bench.open(configuration: .limited(9))
        for identifier in 1...3 { bench.start(client, identifier, host: "h\(identifier)") }
        change(options(.limits(total: 1, host: 9)), on: &bench)
        bench.start(client, 4, host: "h4")
        #expect(bench.loading == [1, 2, 3])
        #expect(bench.machine.running.budget.free == 0)
    }

    @Test func `a rate of the settings holds where a person has set none`() {
        var bench = MachineBench()
        bench.forgetEffects()
        let rates = SharedRates(receive: 1000, send: 2000)
        change(options(.bench, rates), on: &bench)
        #expect(limits(bench) == [rates])
        #expect(bench.person { $0.setRates(SharedRates(receive: 5000), from: $1) } == .done)
        #expect(bench.machine.ratesInForce == SharedRates(receive: 5000, send: 2000))
        #expect(bench.person { $0.setRates(SharedRates(), from: $1) } == .done)
        #expect(bench.machine.ratesInForce == rates)
    }

    @Test func `equal settings change no limit`() {
        var bench = MachineBench()
        bench.forgetEffects()
        change(options(.bench), on: &bench)
        #expect(limits(bench) == [])
    }

    @Test(arguments: [
        Wire.Connections(httpProxy: "http://proxy:3128"),
        Wire.Connections(httpsProxy: "http://proxy:3128"),
        Wire.Connections(proxyExceptions: ["a"]),
        Wire.Connections(authorityFile: "/ca.pem"),
        Wire.Connections(authorityDirectory: "/ca"),
    ])
    func `REL-4: a host that is left alone is asked at once when there is another way to it`(
        connections: Wire.Connections
    ) {
        let policy = DaemonPolicy.limits(total: 9, host: 9)
        var bench = MachineBench(policy)
        let client = bench.open(configuration: .limited(9))
        for task in (1...5).map({ bench.start(client, $0) }) {
            bench.fail(task, .cannotConnectToHost)
        }
        let late = bench.start(client, 6)
        change(options(policy, SharedRates(receive: 1000)), on: &bench)
        bench.settle()
        #expect(bench.loading == [], "what has nothing to do with the way changes nothing")
        var others = options(policy)
        others.connections = connections
        change(others, on: &bench)
        bench.settle()
        #expect(bench.loading == [late])
    }

    @Test func `another time to stay with nothing to do counts from now`() {
        var bench = MachineBench()
        bench.settle()
        var policy = DaemonPolicy.bench
        policy.idleTime = 77
        change(options(policy), on: &bench)
        bench.settle()
        #expect(bench.timers[.idle] == bench.now.addingTimeInterval(77))
    }
}
