import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(1)))
struct ConditionsStateMachineTests {
    // MARK: Connections

    @Test func `a service is subscribed to before it is asked`() {
        var bench = ConditionsBench()
        #expect(bench.observe(.battery) == [.open(.system, waits: false)])
        #expect(bench.opened() == [.subscribe(.upower), .ask(.upower, number: 1)])
        #expect(bench.alarm == bench.start + .seconds(1))
        #expect(bench.observe(.network).contains(.subscribe(.networkManager)))
        #expect(bench.opens.isEmpty)
    }

    @Test func `what is not wanted any more is not asked any more`() {
        var bench = ConditionsBench.answering([.battery, .expensiveNetwork])
        bench.observe(.battery, as: 2)
        #expect(bench.cancel(1) == [.unsubscribe(.networkManager)])
        #expect(bench.machine.conditions == [])
        #expect(bench.cancel(2) == [.unsubscribe(.upower), .close(.system)])
        #expect(bench.machine.conditions == nil)
        #expect(bench.machine.services == [])
        #expect(bench.alarm == nil)
        #expect(bench.changed(.upower) == [])
    }

    @Test func `what no service tells of takes no connection`() {
        var bench = ConditionsBench()
        #expect(bench.observe(.outsideHours) == [])
        #expect(bench.machine.conditions == [])
        #expect(bench.machine.conditions(ofObserver: 1) == [])
        var sandbox = ConditionsBench([.networkPortal, .powerProfilePortal])
        #expect(sandbox.observe([.battery, .cellularNetwork]) == [])
        #expect(sandbox.machine.conditions == [])
    }

    @Test func `a bus that is not there is told of at once, and waited for`() {
        var bench = ConditionsBench()
        bench.observe(.battery)
        #expect(bench.failed() == [.open(.system, waits: true), .notify(observer: 1, [])])
        #expect(bench.alarm == nil)
        #expect(bench.states == [.absent])
        // Until the bus is there, nobody answers; that is no silence.
        #expect(bench.opened() == [.subscribe(.upower), .ask(.upower, number: 1)])
        #expect(bench.alarm == nil)
        #expect(bench.states == [.absent])
        #expect(bench.answer(.upower, 1, .onBattery) == [.notify(observer: 1, .battery)])
    }

    @Test func `without libsystemd nothing is tried again`() {
        var bench = ConditionsBench()
        bench.observe(.battery)
        #expect(bench.failed(isFinal: true) == [.notify(observer: 1, [])])
        #expect(bench.alarm == nil)
    }

    @Test func `a bus that only fails is tried less and less often, and then not at all`() {
        var bench = ConditionsBench()
        bench.observe(.battery)
        bench.failed()
        var pauses: [Duration] = []
        for _ in 0..<20 {
            bench.failed()
            guard let alarm = bench.alarm else { break }
            pauses.append(alarm - bench.now)
            #expect(bench.woke(after: alarm - bench.now) == [.open(.system, waits: true)])
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32].map(Duration.seconds))
        #expect(bench.alarm == nil)
        // Another observer is a reason to try.
        #expect(bench.observe(.network, as: 2) == [.open(.system, waits: false)])
    }

    @Test func `a bus that has worked is connected to again at once`() {
        var bench = ConditionsBench.answering(.battery, .onBattery)
        #expect(bench.lost() == [.open(.system, waits: true)])
        // It may be restarting: what was known holds for a second.
        #expect(bench.machine.conditions == .battery)
        #expect(bench.states == [.waiting])
        #expect(bench.woke(after: .seconds(1)) == [.notify(observer: 1, [])])
        #expect(bench.states == [.absent])
        bench.opened()
        #expect(bench.alarm == nil)
        #expect(bench.answerLatest(.upower, .onBattery) == [.notify(observer: 1, .battery)])
    }

    @Test func `an observer that comes while a bus rests does not wait`() {
        var bench = ConditionsBench()
        bench.observe(.battery)
        bench.failed()
        bench.failed()
        #expect(bench.observe(.expensiveNetwork, as: 2) == [])
        #expect(bench.machine.conditions == [])
        bench.woke(after: .seconds(1))
        let effects = bench.opened()
        #expect(effects.contains(.subscribe(.networkManager)))
        #expect(effects.contains(.subscribe(.upower)))
    }

    // MARK: Answers

    @Test func `nothing is known until each service has answered`() {
        var bench = ConditionsBench()
        bench.observe([.battery, .expensiveNetwork])
        bench.opened()
        #expect(bench.answer(.upower, 2, .onBattery) == [])
        #expect(bench.machine.conditions == nil)
        #expect(bench.states == [.waiting, .answers])
        let told: Conditions = [.battery, .expensiveNetwork]
        #expect(bench.answer(.networkManager, 1, .metered(3)) == [.notify(observer: 1, told)])
        #expect(bench.alarm == nil)
    }

    @Test func `a service that does not answer within a second counts as silent`() {
        var bench = ConditionsBench()
        bench.observe(.battery)
        bench.opened()
        #expect(bench.woke(after: .milliseconds(999)) == [])
        #expect(bench.machine.conditions == nil)
        #expect(bench.woke(after: .milliseconds(1)) == [.notify(observer: 1, [])])
        #expect(bench.states == [.silent])
        #expect(bench.alarm == nil)
        #expect(bench.answer(.upower, 1, .onBattery) == [.notify(observer: 1, .battery)])
        #expect(bench.states == [.answers])
    }

    @Test func `a change that a silent service reports is asked for`() {
        var bench = ConditionsBench()
        bench.observe(.battery)
        bench.opened()
        bench.woke(after: .seconds(1))
        #expect(bench.changed(.upower) == [.ask(.upower, number: 2)])
        #expect(bench.answer(.upower, 1, .onMains) == [])
        #expect(bench.answer(.upower, 2, .onBattery) == [.notify(observer: 1, .battery)])
    }

    @Test func `a service that reports changes and never answers is not asked for ever`() {
        var bench = ConditionsBench()
        bench.observe(.battery)
        bench.opened()
        bench.woke(after: .seconds(1))
        let asked = (0..<100).flatMap { _ in bench.changed(.upower) }
        #expect(asked.count == 7)
    }

    @Test func `a service that is not there counts as absent`() {
        var bench = ConditionsBench()
        bench.observe(.battery)
        bench.opened()
        #expect(bench.answer(.upower, 1, nil) == [.notify(observer: 1, [])])
        #expect(bench.states == [.absent])
        #expect(bench.alarm == nil)
    }

    @Test func `changes while a question is under way are asked for once`() {
        var bench = ConditionsBench.answering(.battery)
        #expect(bench.changed(.upower) == [.ask(.upower, number: 2)])
        for _ in 0..<100 { #expect(bench.changed(.upower) == []) }
        let effects = bench.answer(.upower, 2, .onBattery)
        #expect(effects == [.ask(.upower, number: 3), .notify(observer: 1, .battery)])
        #expect(bench.answer(.upower, 3, .onBattery) == [])
        #expect(bench.alarm == nil)
    }

    @Test func `an answer that changes nothing is told nobody`() {
        var bench = ConditionsBench.answering(.battery)
        bench.observe(.power, as: 2)
        bench.changed(.upower)
        #expect(bench.answerLatest(.upower, .onMains) == [])
    }

    @Test func `an observer is told of its own kinds`() {
        var bench = ConditionsBench.answering([.battery, .expensiveNetwork])
        bench.observe(.battery, as: 2)
        bench.changed(.networkManager)
        let effects = bench.answerLatest(.networkManager, .metered(1))
        #expect(effects == [.notify(observer: 1, .expensiveNetwork)])
        #expect(bench.machine.conditions(ofObserver: 2) == [])
    }

    @Test func `an observer that needs more does not make the others ignorant`() {
        var bench = ConditionsBench.answering(.battery, .onBattery)
        #expect(bench.observe(.expensiveNetwork, as: 2).contains(.subscribe(.networkManager)))
        #expect(bench.machine.conditions == nil)
        #expect(bench.machine.conditions(ofObserver: 1) == .battery)
        #expect(bench.answerLatest(.networkManager, .metered(4)) == [.notify(observer: 2, [])])
        #expect(bench.machine.conditions == .battery)
    }

    // MARK: Owners

    @Test func `a service that is restarted keeps what it told for a second`() {
        var bench = ConditionsBench.answering(.battery, .onBattery)
        #expect(bench.owner(.upower, isThere: false) == [])
        #expect(bench.woke(after: .milliseconds(900)) == [])
        #expect(bench.owner(.upower, isThere: true) == [.ask(.upower, number: 2)])
        #expect(bench.woke(after: .milliseconds(900)) == [])
        #expect(bench.answer(.upower, 2, .onBattery) == [])
        #expect(bench.states == [.answers])
    }

    @Test func `a service that is stopped counts as absent after a second`() {
        var bench = ConditionsBench.answering(.battery, .onBattery)
        bench.owner(.upower, isThere: false)
        #expect(bench.woke(after: .seconds(1)) == [.notify(observer: 1, [])])
        #expect(bench.states == [.absent])
        #expect(bench.owner(.upower, isThere: true) == [.ask(.upower, number: 2)])
        #expect(bench.woke(after: .seconds(1)) == [])
        #expect(bench.states == [.silent])
    }

    @Test func `the answer of a service that was replaced does not count`() {
        var bench = ConditionsBench.answering(.battery)
        bench.changed(.upower)
        bench.owner(.upower, isThere: true)
        #expect(bench.answer(.upower, 2, .onBattery) == [])
        #expect(bench.answer(.upower, 2, nil) == [])
        #expect(bench.answer(.upower, 3, .onMains) == [])
        #expect(bench.machine.conditions == [])
    }

    // MARK: Networks

    @Test func `a network that is gone keeps its conditions for a while`() {
        var bench = ConditionsBench.answering(.expensiveNetwork, .metered(1))
        bench.changed(.networkManager)
        #expect(bench.answerLatest(.networkManager, .disconnected) == [])
        #expect(bench.woke(after: .seconds(29)) == [])
        // It does not begin anew with each word of it.
        bench.changed(.networkManager)
        #expect(bench.answerLatest(.networkManager, .disconnected) == [])
        #expect(bench.woke(after: .seconds(1)) == [.notify(observer: 1, [])])
        #expect(bench.alarm == nil)
    }

    @Test func `the next network has its own conditions at once`() {
        var bench = ConditionsBench.answering(.expensiveNetwork, .metered(1))
        bench.changed(.networkManager)
        bench.answerLatest(.networkManager, .disconnected)
        bench.changed(.networkManager)
        #expect(bench.answerLatest(.networkManager, .metered(2)) == [.notify(observer: 1, [])])
        #expect(bench.alarm == nil)
    }

    @Test(
        arguments: [(1, "802-11-wireless"), (3, "802-3-ethernet"), (0, "gsm"), (2, "gsm")]
            as [(UInt32, String)]
    )
    func `a network that is back has its conditions for good`(metered: UInt32, type: String) {
        let values: [String: BusValue] = .metered(metered, type)
        var bench = ConditionsBench.answering([.expensiveNetwork, .cellularNetwork], values)
        let known = bench.machine.conditions
        #expect(known != [])
        bench.changed(.networkManager)
        #expect(bench.answerLatest(.networkManager, .disconnected) == [])
        bench.woke(after: .seconds(29))
        bench.changed(.networkManager)
        #expect(bench.answerLatest(.networkManager, values) == [])
        #expect(bench.alarm == nil)
        #expect(bench.woke(after: .seconds(60)) == [])
        #expect(bench.machine.conditions == known)
    }

    @Test func `without a network nothing is remembered that was not known`() {
        let bench = ConditionsBench.answering(.expensiveNetwork, .disconnected)
        #expect(bench.machine.conditions == [])
        #expect(bench.alarm == nil)
    }

    @Test func `a thousand changes are told as often as they change something`() {
        var bench = ConditionsBench.answering(.battery)
        var tellings = 0
        for index in 1...1000 {
            bench.changed(.upower)
            let values: [String: BusValue] = index % 3 == 0 ? .onBattery : .onMains
            tellings += bench.answerLatest(.upower, values).count
        }
        // For every third of them, and for the next one.
        #expect(tellings == 666)
        #expect(bench.alarm == nil)
    }
}
