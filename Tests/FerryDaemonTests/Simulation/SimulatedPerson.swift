import FerryStore
import FerryWire

@testable import FerryDaemon

/// A person with the `ferry` command.
enum SimulatedPerson {
    /// Does something to somebody's tasks.
    static func act(in world: Simulation) {
        let tasks = world.database.current.tasks.keys.sorted()
        let program = world.random.one(of: world.programs)
        switch world.random.number(below: 16) {
        case 0..<4 where !tasks.isEmpty: call(.pauseTask(world.random.one(of: tasks)), in: world)
        case 4..<8 where !tasks.isEmpty: call(.resumeTask(world.random.one(of: tasks)), in: world)
        case 8..<10 where !tasks.isEmpty: call(.cancelTask(world.random.one(of: tasks)), in: world)
        case 10:
            for process in world.processes where process.program === program { process.end() }
            call(.quit(program.name), in: world)
        case 11: call(.removeHook(program.name), in: world)
        case 12: call(.stop, in: world)
        case 13 where !tasks.isEmpty: relink(world.random.one(of: tasks), in: world)
        case 14 where !tasks.isEmpty:
            let rates = SharedRates(receive: Int64(1 + world.random.number(below: 9)) * 1000)
            call(.setTaskRates(world.random.one(of: tasks), rates), in: world)
        case 15 where !tasks.isEmpty:
            call(.setTaskPriority(world.random.one(of: tasks), world.random.fraction()), in: world)
        default: break
        }
    }

    private static func relink(_ task: Int64, in world: Simulation) {
        let record = world.database.current.tasks[task]?.record
        let resource = record.flatMap { Stored.request($0.request) }
            .flatMap { world.servers.resource(url: $0.url) }
        guard let resource else { return }
        let url = world.servers.link(to: resource, using: &world.random).url
        call(.relinkTask(task, url: url), in: world)
    }

    /// Lets every task go that a person holds back.
    static func releaseAll(in world: Simulation) {
        let held = world.database.current.tasks.values.map(\.record)
            .filter { $0.state == .held || $0.state == .heldSuspended }
        for task in held.sorted(by: { $0.id < $1.id }) { call(.resumeTask(task.id), in: world) }
    }

    private static func call(_ content: SimulatedCall.Content, in world: Simulation) {
        world.note("a person: \(content)")
        if case .resumeTask(let id) = content { world.releasedTasks.insert(id) }
        let process = SimulatedProcess(command: world)
        process.command(content)
    }
}
