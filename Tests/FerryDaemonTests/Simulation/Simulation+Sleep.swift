import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

extension Simulation {
    /// The machine is about to sleep: logind tells the daemon, and waits for it, or does not.
    func prepareSleep() {
        guard announcement == nil, let daemon, daemon.hasBooted else { return sleep() }
        let number = makeNumber()
        announcement = number
        forgottenSince = nil
        record("the machine is about to sleep")
        count(.sleepAnnounced)
        daemon.tasksPutDown = []
        let patience = random.happens(percent: 20) ? 0 : random.fraction() * 3
        schedule(after: patience) { $0.endAnnouncement(number) }
        daemon.input { machine in machine.machineSleeps() }
    }

    /// The daemon no longer holds the machine back: what it has loaded is on the disk, and nothing is loaded any more.
    func allowSleep(by daemon: SimulatedDaemon) {
        guard let announcement else {
            // It is ready too late, and has not been told yet.
            if !isWaking, forgottenSince == nil {
                fail("the daemon lets a machine sleep that does not")
            }
            return
        }
        count(.sleepAllowed)
        for transfer in daemon.transfers where transfer.isActive && !(transfer is SimulatedUpload) {
            fail("task \(transfer.task) loads while the machine sleeps")
        }
        for task in daemon.tasksPutDown.sorted() { checkRest(of: task, daemon) }
        schedule(after: random.fraction() * 0.1) { $0.endAnnouncement(announcement) }
    }

    /// What a task has loaded is on the medium, and so is what the store knows of it.
    private func checkRest(of task: TaskID, _ daemon: SimulatedDaemon) {
        guard let file = disk.downloads[task],
            let record = database.synchronized.tasks[task]?.record,
            record.state != .completed, !daemon.machine.endings.contains(task)
        else { return }
        let checkpoint = record.checkpoint?.value?.checkpoint
        guard checkpoint?.generation == file.record.generation else {
            // What the store could not take is repeated later, perhaps after this.
            guard file.count > 0, now > daemon.lastStoreFailure + 120 else { return }
            return fail("the store does not know the file of task \(task)")
        }
        let known = checkpoint?.synchronizedByteCount ?? 0
        if known > file.synchronizedCount {
            fail("task \(task) has \(known) bytes by its checkpoint, and \(file.synchronizedCount)")
        }
        guard now > daemon.lastStoreFailure + 120, known < file.count else { return }
        fail("task \(task) has \(file.count) bytes, and \(known) at rest")
    }

    private func endAnnouncement(_ number: Int64) {
        guard announcement == number else { return }
        announcement = nil
        if random.happens(percent: 25) {
            record("the machine does not sleep after all")
            guard random.happens(percent: 30) else { return proceed(hasSlept: false) }
            // Logind is gone, and nobody says so.
            record("nobody says so")
            count(.sleepForgotten)
            forgottenSince = now
            return
        }
        sleep()
    }

    /// The machine sleeps; all connections are dead afterwards, and nobody is told.
    private func sleep() {
        count(.slept)
        announcement = nil
        for transfer in daemon?.transfers ?? [] { transfer.loseConnection() }
        let duration = random.one(of: [0.5, 5, 30, 600])
        record("the machine sleeps for \(duration) s")
        jump(by: duration)
        // What is measured by the clock has waited for nothing meanwhile.
        unfairSince = [:]
        isWaking = true
        schedule(after: 0) { $0.proceed(hasSlept: $0.sabotage != .keepsDeadConnections) }
    }

    private func proceed(hasSlept: Bool) {
        isWaking = false
        forgottenSince = nil
        guard let daemon, daemon.hasBooted else { return }
        record("the machine goes on")
        unfairSince = [:]
        daemon.input { machine in machine.machineGoesOn(hasSlept: hasSlept) }
        // Logind tells it as well.
        daemon.input { machine in machine.machineGoesOn(hasSlept: false) }
        guard self.daemon === daemon else { return }
        for transfer in daemon.startedTransfers where transfer.isActive && transfer.isDead {
            fail("task \(transfer.task) waits for a dead connection")
        }
        if !daemon.machine.sleep.allowsStarts { fail("the daemon sleeps on") }
    }
}
