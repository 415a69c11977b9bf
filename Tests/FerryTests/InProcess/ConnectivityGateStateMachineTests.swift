import FerrySystem
import FerryTestSupport
import Testing

@testable import Ferry

@Suite("Decisions at the gate to the network", .timeLimit(.minutes(5)))
struct ConnectivityGateStateMachineTests {
    private typealias Machine = ConnectivityGate.StateMachine
    private typealias Network = Machine.Network

    private let good = Network()
    private let offline = Network(allowsAttempts: false)
    private let expensive = Network(avoided: .expensiveNetwork)
    private let unknown = Network(avoided: nil)

    private func open(waits: Bool) -> Machine {
        var machine = Machine(waits: waits)
        machine.came()
        _ = machine.after { $0.found(good) }
        return machine
    }

    @Test(arguments: [false, true])
    func `a transfer passes in a network that it does not avoid`(waits: Bool) {
        var machine = Machine(waits: waits)
        #expect(!machine.needsConditions)
        machine.came()
        #expect(machine.needsConditions)
        #expect(machine.needsConnectivity == waits)
        #expect(machine.after { $0.found(good) } == [.open])
        #expect(machine.needsConditions, "they may change")
        #expect(!machine.needsConnectivity)
        machine.left()
        #expect(!machine.needsConditions)
    }

    @Test func `DL-33: a transfer that waits is told of once`() {
        var machine = Machine(waits: true)
        machine.came()
        #expect(machine.after { $0.found(offline) } == [.notifyWaiting])
        #expect(machine.after { $0.connectivityChanged(offline) } == [])
        #expect(machine.after { $0.connectivityChanged(good) } == [.open])
        machine.came()
        #expect(machine.after { $0.found(offline) } == [])
    }

    @Test func `without a network a transfer that does not wait finds out itself`() {
        var machine = Machine(waits: false)
        machine.came()
        #expect(machine.after { $0.found(offline) } == [.open])
    }

    @Test func `DL-33: a forbidden network holds a transfer back that waits`() {
        var machine = Machine(waits: true)
        machine.came()
        #expect(machine.after { $0.found(expensive) } == [.notifyWaiting, .holdBack])
        #expect(machine.after { $0.conditionsChanged(expensive, canBeInterrupted: true) } == [])
        #expect(machine.after { $0.conditionsChanged(unknown, canBeInterrupted: true) } == [])
        #expect(machine.after { $0.conditionsChanged(good, canBeInterrupted: true) } == [.callBack])
        #expect(machine.needsConditions, "it will come soon")
        #expect(machine.after { $0.conditionsChanged(expensive, canBeInterrupted: true) } == [])
        machine.came()
        #expect(machine.after { $0.found(expensive) } == [.holdBack])
    }

    @Test func `a forbidden network fails a transfer that does not wait`() {
        var machine = Machine(waits: false)
        machine.came()
        #expect(machine.after { $0.found(expensive) } == [.refuse(.expensiveNetwork)])
        #expect(!machine.needsConditions)
        #expect(machine.after { $0.conditionsChanged(good, canBeInterrupted: true) } == [])
    }

    @Test(arguments: [false, true])
    func `what is not known yet is waited for, without telling`(waits: Bool) {
        var machine = Machine(waits: waits)
        machine.came()
        #expect(machine.after { $0.found(unknown) } == [])
        #expect(machine.after { $0.conditionsChanged(unknown, canBeInterrupted: true) } == [])
        #expect(machine.after { $0.conditionsChanged(good, canBeInterrupted: true) } == [.open])
    }

    @Test func `a load goes on while the conditions are not known`() {
        var machine = open(waits: true)
        #expect(machine.after { $0.conditionsChanged(unknown, canBeInterrupted: true) } == [])
        #expect(machine.after { $0.connectivityChanged(offline) } == [])
    }

    @Test func `a load whose network becomes forbidden is interrupted if it can be`() {
        var machine = open(waits: true)
        #expect(
            machine.after { $0.conditionsChanged(expensive, canBeInterrupted: true) } == [
                .notifyWaiting, .holdBack,
            ]
        )
        machine = open(waits: true)
        let refusal: [Machine.Effect] = [.refuse(.expensiveNetwork)]
        #expect(
            machine.after { $0.conditionsChanged(expensive, canBeInterrupted: false) } == refusal
        )
        machine = open(waits: false)
        #expect(
            machine.after { $0.conditionsChanged(expensive, canBeInterrupted: true) } == refusal
        )
    }

    @Test func `an attempt in vain waits for a change, and looks at the new network`() {
        var machine = open(waits: true)
        machine.attemptFailed()
        #expect(machine.needsConnectivity)
        #expect(machine.after { $0.awaitsChange() } == [.notifyWaiting])
        #expect(machine.after { $0.conditionsChanged(good, canBeInterrupted: true) } == [])
        #expect(machine.after { $0.connectivityChanged(offline) } == [])
        #expect(machine.after { $0.connectivityChanged(expensive) } == [.holdBack])
        #expect(machine.after { $0.conditionsChanged(good, canBeInterrupted: true) } == [.callBack])
    }
}
