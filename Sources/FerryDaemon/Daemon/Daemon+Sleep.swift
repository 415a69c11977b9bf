import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire

// Effects for the machine's sleep.
extension Daemon {
    func flush(_ transfer: any RunningTransfer, of task: TaskID) {
        questions[task] = nil
        transfer.flush { [weak self] checkpoint in
            let state = checkpoint.map { Encoded(ByteState(checkpoint: $0)) }
            self?.input { $0.flush(task: task, state) }
        }
    }

    func renewConnections() { clients.endIdleConnections() }

    func inhibit(_ inhibition: MachineSleep.Inhibition) { sleepWatch?.inhibit(inhibition) }

    func allowSleep() { sleepWatch?.allowSleep() }

    /// Notifies the state machine when the machine is about to sleep, and when it goes on.
    func observeSleep() {
        sleepWatch = SleepWatch(log: log) { [weak self] event in
            self?.input { machine in
                switch event {
                case .sleeps(let delay): machine.machineSleeps(delay: delay.inSeconds)
                case .goesOn(let hasSlept): machine.machineGoesOn(hasSlept: hasSlept)
                }
            }
        }
    }
}
