import FerryStore

/// A person with the `ferry` command.
enum SimulatedPerson {
    /// Does something to somebody's tasks.
    static func act(in world: Simulation) {
        let tasks = world.database.current.tasks.keys.sorted()
        let program = world.random.one(of: world.programs)
        switch world.random.number(below: 14) {
        case 0..<4 where !tasks.isEmpty: call(.pauseTask(world.random.one(of: tasks)), in: world)
        case 4..<8 where !tasks.isEmpty: call(.resumeTask(world.random.one(of: tasks)), in: world)
        case 8..<10 where !tasks.isEmpty: call(.cancelTask(world.random.one(of: tasks)), in: world)
        case 10:
            for process in world.processes where process.program === program { process.end() }
            call(.quit(program.name), in: world)
        case 11: call(.removeHook(program.name), in: world)
        case 12: call(.stop, in: world)
        default: break
        }
    }

    /// Lets every task go that a person holds back.
    static func releaseAll(in world: Simulation) {
        let held = world.database.current.tasks.values.map(\.record)
            .filter { $0.state == .held || $0.state == .heldSuspended }
        for task in held.sorted(by: { $0.id < $1.id }) { call(.resumeTask(task.id), in: world) }
    }

    private static func call(_ content: SimulatedCall.Content, in world: Simulation) {
        world.note("a person: \(content)")
        let process = SimulatedProcess(command: world)
        process.command(content)
    }
}
