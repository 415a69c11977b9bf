import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(1))) struct ConditionTests {
    @Test func `allowsExpensiveNetworkAccess: a task does not start on a metered network`() {
        var bench = MachineBench()
        bench.conditions = .expensiveNetwork
        let task = bench.start(bench.open(configuration: .avoiding(.expensiveNetwork)))
        #expect(bench.observed == .expensiveNetwork)
        #expect(bench.loading == [])
        let wait = bench.wait(of: task)
        #expect(wait?.reason == .expensiveNetwork)
        #expect(wait?.detail == "the network is metered")
        bench.set([])
        #expect(bench.loading == [task])
        #expect(bench.wait(of: task) == nil)
    }

    @Test
    func `isDiscretionary: a transfer is halted on battery, keeps its bytes, and goes on later`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(configuration: .avoiding(.battery, .powerSaver)))
        bench.progress(task, 40)
        bench.forgetEffects()
        bench.set(.battery)
        #expect(bench.loading == [])
        #expect(bench.effects.contains(.stop(task: task)))
        #expect(bench.stored(task)?.receivedByteCount == 40)
        #expect(bench.stored(task)?.attempts == 0)
        #expect(bench.stored(task)?.notBefore == nil)
        #expect(bench.wait(of: task)?.reason == .battery)
        bench.set([.battery, .powerSaver])
        #expect(
            bench.wait(of: task)?.detail == "the machine runs on battery; the machine saves power"
        )
        bench.set([])
        #expect(bench.loading == [task])
    }

    @Test func `a halted transfer is stopped in the turn in which the condition is reported`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(configuration: .avoiding(.battery)))
        // The store is not asked in between.
        bench.input { $0.conditionsChanged(to: .battery) }
        #expect(bench.loading == [])
        #expect(bench.machine.running[task] == nil)
        #expect(bench.machine.running.budget.count == 0)
    }

    @Test func `what others do not avoid runs on, in the places of those that are halted`() {
        var bench = MachineBench(.limits(total: 1, host: 1))
        let task = bench.start(bench.open(configuration: .avoiding(.battery)), 1)
        let other = bench.start(bench.open("other", configuration: .limited(9)), 2)
        #expect(bench.loading == [task])
        bench.set(.battery)
        #expect(bench.loading == [other])
        bench.finish(other)
        #expect(bench.loading == [])
        bench.set([])
        #expect(bench.loading == [task])
    }

    @Test func `until the services have answered, only tasks that avoid nothing start`() {
        var bench = MachineBench()
        bench.conditions = nil
        let task = bench.start(bench.open(configuration: .avoiding(.battery)), 1)
        let other = bench.start(bench.open("other", configuration: .limited(9)), 2)
        #expect(bench.loading == [other])
        let wait = bench.wait(of: task)
        #expect(wait?.reason == .starting)
        #expect(wait?.detail?.contains("whether the machine runs on battery") == true)
        bench.set([])
        #expect(bench.loading == [task, other])
        // A service that is asked anew does not stop what runs.
        bench.set(nil)
        #expect(bench.loading == [task, other])
    }

    @Test func `only what unfinished tasks avoid is watched, and nothing when there are none`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .limited(9))
        #expect(bench.observed == [])
        let first = bench.start(client, 1)
        #expect(bench.observed == [])
        bench.avoid([.battery], client, 1)
        #expect(bench.observed == .battery)
        let other = bench.open("other", configuration: .avoiding(.expensiveNetwork))
        #expect(bench.observed == .battery)
        let second = bench.start(other, 1)
        #expect(bench.observed == [.battery, .expensiveNetwork])
        bench.finish(first)
        #expect(bench.observed == .expensiveNetwork)
        bench.finish(second)
        #expect(bench.observed == [])
    }

    @Test func `a daemon that starts watches what the tasks in its queue avoid, before they start`()
    {
        var bench = MachineBench()
        let task = bench.start(bench.open(configuration: .avoiding(.cellularNetwork)))
        var next = MachineBench(on: bench.database)
        #expect(next.observed == .cellularNetwork)
        #expect(next.loading == [task])
        next.set(.cellularNetwork)
        #expect(next.loading == [])
        let starts = next.effects.firstIndex { if case .start = $0 { true } else { false } }
        let observes = next.effects.firstIndex(of: .observe(.cellularNetwork))
        #expect(observes ?? .max < starts ?? -1)
    }

    @Test func `a task that waits for the end of a condition needs a daemon, and no wake-ups`() {
        var bench = MachineBench()
        bench.conditions = .battery
        let client = bench.open(configuration: .avoiding(.battery))
        bench.start(client)
        bench.disconnect(client)
        bench.wait(60)
        bench.forgetEffects()
        bench.wait(86_400)
        #expect(bench.effects == [])
        #expect(!bench.hasExited)
    }

    @Test func `a person lets a task run once, whatever the conditions are then and later`() {
        var bench = MachineBench()
        bench.conditions = .battery
        let client = bench.open(configuration: .avoiding(.battery))
        let task = bench.start(client, 1)
        let other = bench.start(client, 2)
        bench.override(task)
        #expect(bench.loading == [task])
        bench.set([])
        #expect(bench.loading == [task, other])
        bench.set(.battery)
        #expect(bench.loading == [task])
        bench.avoid([.battery], client, 1)
        #expect(bench.loading == [task])
    }

    @Test func `a person lets a task run that already runs, and it is not halted later`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(configuration: .avoiding(.battery)))
        bench.override(task)
        bench.set(.battery)
        #expect(bench.loading == [task])
    }

    @Test func `an application changes what its task avoids while it runs and while it waits`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .limited(9))
        bench.conditions = .battery
        let task = bench.start(client)
        #expect(bench.loading == [task])
        bench.avoid([.battery], client)
        #expect(bench.loading == [])
        bench.avoid([.powerSaver], client)
        #expect(bench.loading == [task])
        #expect(bench.observed == .powerSaver)
    }

    @Test func `the rates of a task leave what it avoids as it is`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .limited(9))
        let task = bench.start(client)
        bench.avoid([.battery], client)
        bench.person { $0.setRates(SharedRates(receive: 9), ofTask: task, from: $1) }
        #expect(bench.stored(task)?.avoids == .battery)
    }

    @Test func `a session that is opened with other conditions has its tasks follow them`() {
        var bench = MachineBench()
        bench.conditions = .expensiveNetwork
        let client = bench.open(configuration: .avoiding(.expensiveNetwork))
        let task = bench.start(client)
        bench.disconnect(client)
        #expect(bench.loading == [])
        let again = bench.open(configuration: .limited(9))
        #expect(bench.loading == [task])
        bench.disconnect(again)
        bench.open(configuration: .avoiding(.expensiveNetwork))
        #expect(bench.loading == [])
    }

    @Test func `a condition that this version does not know is refused`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .limited(9))
        bench.start(client)
        let options = Wire.TransferOptions(avoids: [.other])
        let set = Wire.SetOptions(session: client.session, identifier: 1, options: options)
        let outcome = bench.settledCall(client) { $0.setOptions(set, from: $1) }
        guard case .refusal(.invalidRequest(let parameter, _)) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(parameter == "options.avoids")
    }

    @Test func `hours that are not for discretionary work need no service`() {
        var bench = MachineBench()
        bench.conditions = nil
        let task = bench.start(bench.open(configuration: .avoiding(.outsideHours)))
        #expect(bench.loading == [task])
        bench.input { $0.hoursChanged(isOutside: true) }
        bench.settle()
        #expect(bench.loading == [])
        #expect(bench.wait(of: task)?.reason == .outsideHours)
        bench.input { $0.hoursChanged(isOutside: false) }
        bench.settle()
        #expect(bench.loading == [task])
    }

    @Test func `the hours hold at once, while services have yet to answer`() {
        var bench = MachineBench()
        let onBattery = bench.start(bench.open(configuration: .avoiding(.battery)), 1)
        let discretionary = bench.start(
            bench.open("other", configuration: .avoiding(.outsideHours)),
            2
        )
        #expect(bench.loading == [onBattery, discretionary])
        bench.set(nil)
        bench.input { $0.hoursChanged(isOutside: true) }
        bench.settle()
        #expect(bench.loading == [onBattery])
        #expect(bench.wait(of: discretionary)?.reason == .outsideHours)
    }

    @Test func `a running task follows the hours that its session begins to avoid`() {
        var bench = MachineBench()
        bench.input { $0.hoursChanged(isOutside: true) }
        let client = bench.open(configuration: .avoiding(.battery))
        let task = bench.start(client)
        #expect(bench.loading == [task])
        bench.disconnect(client)
        // The service that is asked for both conditions does not answer, and is then no longer needed.
        bench.conditions = nil
        bench.open(configuration: .avoiding(.outsideHours))
        #expect(bench.loading == [])
        #expect(bench.wait(of: task)?.reason == .outsideHours)
    }

    @Test func `a task starts when the services that another one needs are no longer asked`() {
        var bench = MachineBench()
        bench.conditions = nil
        let client = bench.open(configuration: .avoiding(.battery))
        bench.start(client)
        let task = bench.start(bench.open("other", configuration: .avoiding(.outsideHours)), 2)
        #expect(bench.loading == [])
        bench.cancel(client)
        #expect(bench.loading == [task])
    }

    @Test func `a task that has to wait for the services does not keep another one from its place`()
    {
        var bench = MachineBench(.limits(total: 1, host: 9))
        bench.conditions = nil
        let asking = bench.create(bench.open(configuration: .avoiding(.battery)), 1)
        let plain = bench.create(bench.open("plain"), 2)
        // Both have waited since before ferryd started, and what they avoid is not known.
        bench.database.commit(
            [asking, plain].map {
                .resumeTask(.id($0), at: bench.now, resourceTimeout: 0)
            }
        )
        bench.input { $0.retryTimePassed() }
        bench.settle()
        #expect(bench.loading == [plain])
    }
}
