import FerryStore
import FerrySystem

@testable import FerryDaemon

extension Simulation {
    /// Lets something go wrong now and then.
    func disturb() {
        if happens(perThousand: killRate) { killSomething() }
        if isSleepy, happens(perThousand: 15) { prepareSleep() }
        guard happens(perThousand: 25) else { return }
        switch random.number(below: 14) {
        case 13: changeTimetable()
        case 12: changeZone()
        case 11: setClock()
        case 10: changeNetwork()
        case 0: changeDisk()
        case 1, 2: changeMood()
        case 3, 4, 5: servers.change(random.number(below: servers.resources.count), using: &random)
        case 6, 7: SimulatedPerson.act(in: self)
        default: startProgram()
        }
    }

    /// Kills a process, the daemon, all of them, or cuts the power.
    func killSomething() {
        switch random.number(below: 10) {
        case 0..<3:
            killDaemon()
        case 3..<6:
            if !processes.isEmpty {
                count(.processDies)
                random.one(of: processes).end()
            }
        case 6..<7:
            for process in processes { process.end() }
            killDaemon()
        default: cutPower()
        }
    }

    private func killDaemon() {
        guard let daemon else { return }
        count(.daemonDies)
        daemon.kill()
    }

    /// Everything that runs is gone, and what was not waited for perhaps, too.
    private func cutPower() {
        record("the power is cut")
        count(.powerCut)
        for process in processes { process.end() }
        daemon?.kill()
        database.cutPower(using: &random)
        disk.cutPower(using: &random)
        reboot()
        if season == .wild { schedule(after: 1 + random.fraction() * 5) { $0.startProgram() } }
    }

    private func changeDisk() {
        isDiskFull = random.happens(percent: 30)
        let code = random.one(of: [StoreError.Code.diskFull, .inputOutput])
        storeFailure = random.happens(percent: 40) ? .model(code) : nil
        record("disk full: \(isDiskFull), store: \(storeFailure?.code.rawValue ?? "good")")
    }

    /// The last link goes, or one comes back.
    private func changeNetwork() {
        setConnectivity(connectivity == .disconnected ? .connected : .disconnected)
    }

    private func setConnectivity(_ new: Connectivity) {
        guard new != connectivity else { return }
        connectivity = new
        record("the network is \(new)")
        if new == .disconnected { count(.networkLost) }
        guard let daemon, daemon.hasBooted else { return }
        daemon.input { machine in machine.connectivityChanged(to: new) }
    }

    private func changeMood() {
        let host = random.number(below: servers.moods.count)
        let isGood = random.happens(percent: 40)
        servers.moods[host] = isGood ? .good : random.one(of: SimulatedServers.Mood.allCases)
        record("host\(host) is \(servers.moods[host])")
    }

    private func startProgram() {
        guard season == .wild else { return }
        let program = random.one(of: programs)
        _ = SimulatedProcess(program, in: self)
    }

    // MARK: Seasons

    /// Ends the troubles, and every process that a person has started.
    func calmDown() {
        season = .calm
        isDiskFull = false
        storeFailure = nil
        servers.heal()
        setConnectivity(.connected)
        setTimetable(Timetable())
        // What does not run because of them goes on.
        schedule(after: hasConditions ? conditionRandom.fraction() * 20 : 0) { $0.endConditions() }
        record("the world is calm")
        for process in processes where !process.isLaunched { process.end() }
        // A person who logs in again; what waits for nobody needs a daemon all the same.
        _ = daemonForClient()
    }

    /// Lets persons start everything that is left.
    func harvest() {
        guard violation == nil else { return }
        season = .harvest
        record("harvest")
        SimulatedPerson.releaseAll(in: self)
        for program in programs { _ = SimulatedProcess(program, in: self) }
    }
}
