import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

/// An application as it lies on the disk, with what it keeps there.
final class SimulatedProgram {
    let name: String
    let executable: String
    let sessionNames: [String]
    let configuration: Wire.SessionConfiguration
    let isLaunchable: Bool
    /// Whether it wants many files, all of them at once, and nothing else.
    let isGreedy: Bool
    /// How many tasks it still wants to make.
    var taskBudget: Int
    /// Resume data, and what it is of.
    var resumeData: [(number: TaskID, resource: Int)] = []
    /// Resume data of uploads.
    private(set) var uploads: [(blob: Data, content: UploadResumeData)] = []
    /// Those that it has had, which are good for one task each.
    private var knownUploads: Set<UUID> = []

    init(_ number: Int, isGreedy: Bool = false, using random: inout SeededRandom) {
        self.isGreedy = isGreedy
        name = "app\(number)"
        executable = "/bin/app\(number)"
        sessionNames = random.happens(percent: 70) ? ["main"] : ["main", "other"]
        // From numbers of its own, so that the histories of earlier seeds stay as they are.
        var aside = random
        let most = aside.happens(percent: 10) ? 1 + aside.number(below: 3) : nil
        configuration = Wire.SessionConfiguration(
            additionalFields: [],
            resourceTimeout: random.one(of: [0, 30, 604_800]),
            maximumConnectionsPerHost: 1 + random.number(below: 5),
            maximumTransfers: most,
            sendsLaunchEvents: random.happens(percent: 85),
            launchesForEachTask: random.happens(percent: 25) ? true : nil,
            answersPasswords: random.happens(percent: 75),
            replacesLinks: random.happens(percent: 50)
        )
        isLaunchable = random.happens(percent: 85)
        taskBudget = 1 + random.number(below: 7) + (isGreedy ? 7 : 0)
    }

    /// Keeps resume data of an upload, unless it has had it before.
    func keep(upload blob: Data) {
        guard let content = try? UploadResumeData(decoding: Array(blob)),
            knownUploads.insert(content.identifier).inserted
        else { return }
        uploads.append((blob, content))
    }

    /// Takes resume data of an upload, which is spent by this.
    func takeUpload() -> (blob: Data, content: UploadResumeData)? { uploads.popLast() }

    /// How it introduces itself.
    func open(_ session: String) -> Wire.OpenSession {
        let launch = Wire.Launch(
            executable: executable,
            arguments: [],
            directory: "/",
            environment: [:]
        )
        return Wire.OpenSession(
            application: Wire.Application(
                identifier: name,
                launch: isLaunchable ? launch : nil
            ),
            identifier: session,
            configuration: configuration
        )
    }
}

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

    private static func relink(_ task: TaskID, in world: Simulation) {
        let record = world.database.current.tasks[task]?.record
        let resource = record?.request.value
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
        world.record("a person: \(content)")
        if case .resumeTask(let id) = content { world.releasedTasks.insert(id) }
        let process = SimulatedProcess(command: world)
        process.command(content)
    }
}
