import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Glibc
import Testing

/// What a process costs that has nothing to do.
@Suite(
    .serialized,
    .timeLimit(.minutes(1)),
    .disabled(
        if: ProcessEnvironment["TSAN_OPTIONS"] != nil,
        "the thread sanitizer has a thread of its own, which wakes up"
    )
)
struct IdleTests {
    @Test func `an idle ferryd and its idle client do not wake up`() async throws {
        let home = try TestHome(daemonArguments: ["--idle-time", "600"])
        let events = try await EventPipe(in: home)
        let app = try await startIdleApp(in: home, reportingTo: events)
        let daemon = try #require(home.daemons.first)
        try await expectNoWakeUps(of: daemon, app.identifier)
        await app.killed()
    }

    @Test func `a process that observes the machine's conditions does not wake up`() async throws {
        let services = try await MockedServices()
        let home = try TestHome(variables: services.variables)
        let events = try await EventPipe(in: home)
        let observer = try await startProbe(
            in: home,
            reportingTo: events,
            observing: .power,
            .network
        )
        #expect(await events.next("conditions") == "conditions 0")
        #expect(await events.next("conditions") == "conditions 0")
        try await services.set(.onBattery(true))
        #expect(await events.next("conditions") == "conditions \(Conditions.battery.rawValue)")
        try await expectNoWakeUps(of: observer.identifier)
        await observer.killed()
    }

    @Test func `a process that observes no condition of a service does not load libsystemd`()
        async throws
    {
        let services = try await MockedServices()
        let home = try TestHome(variables: services.variables)
        let events = try await EventPipe(in: home)
        let idle = try await startProbe(in: home, reportingTo: events, observing: .outsideHours)
        let observer = try await startProbe(in: home, reportingTo: events, observing: .battery)
        #expect(await events.next("conditions") == "conditions 0")
        #expect(try observer.hasLoaded("libsystemd"))
        #expect(try !idle.hasLoaded("libsystemd"))
        await idle.killed()
        await observer.killed()
    }

    @Test(arguments: [
        (Conditions.expensiveNetwork, Wire.WaitReason.expensiveNetwork),
        (.discretionary, .battery),
    ])
    func `a ferryd with a hundred tasks that wait for the end of a condition does not wake up`(
        avoided: Conditions,
        reason: Wire.WaitReason
    ) async throws {
        let services = try await MockedServices()
        let home = try TestHome(
            daemonArguments: ["--idle-time", "600"],
            variables: services.variables
        )
        try await services.set(reason == .battery ? .onBattery(true) : .metered(1))
        let tasks = try await SuspendedTasks(avoiding: avoided, in: home)
        try await tasks.resume()
        var watch = try TaskWatch(of: home)
        try await watch.until { $0.count { $0.wait?.reason == reason } == SuspendedTasks.count }
        try await expectNoWakeUps(of: try #require(home.daemons.first))
    }

    @Test func `a ferryd does not load libsystemd before a task waits that avoids a condition`()
        async throws
    {
        let services = try await MockedServices()
        let home = try TestHome(
            daemonArguments: ["--idle-time", "600"],
            variables: services.variables
        )
        try await services.set(.onBattery(true))
        // Without a wish they are held back: a task that runs has logind asked to delay sleep.
        let plain = try await SuspendedTasks(in: home)
        let discretionary = try await SuspendedTasks(avoiding: .discretionary, in: home)
        let daemon = try #require(home.daemons.first)
        #expect(try !TestProcess.hasLoaded("libsystemd", process: daemon))
        try await discretionary.resume(1)
        var watch = try TaskWatch(of: home)
        try await watch.until { $0.contains { $0.wait?.reason == .battery } }
        #expect(try TestProcess.hasLoaded("libsystemd", process: daemon))
        withExtendedLifetime(plain) {}
    }

    @Test func `a ferryd that a person stops stays away as long as its clients have nothing to do`()
        async throws
    {
        let home = try TestHome(daemonArguments: ["--idle-time", "600"])
        let events = try await EventPipe(in: home)
        let app = try await startIdleApp(in: home, reportingTo: events)
        #expect(try await home.ferry("daemon", "stop").exit == .exited(status: 0))
        // A client that wanted it would have started it many times over in this time.
        for _ in 0..<30 {
            #expect(try await home.ferry("daemon", "status").exit == .exited(status: 4))
        }
        #expect(home.processes(of: "ferry-test-app") == [app.identifier])
        await app.killed()
    }

    /// Starts an app whose background session has nothing to do.
    private func startIdleApp(
        in home: TestHome,
        reportingTo events: EventPipe
    ) async throws -> TestProcess {
        let app = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--events", events.path, "--directory", home.files, "--idle", "yes"],
            environment: home.environment
        )
        _ = await events.next("ready")
        // What starting takes is over when the daemon says that the session is open.
        while try await sessions(of: home) == 0 {}
        return app
    }

    /// Starts a program that prints the machine's conditions.
    private func startProbe(
        in home: TestHome,
        reportingTo events: EventPipe,
        observing kinds: Conditions...
    ) async throws -> TestProcess {
        let output = try events.writer()
        let process = try await TestProcess(
            TestHome.executable("conditions-probe"),
            kinds.map { "\($0.rawValue)" },
            environment: home.environment,
            output: output.rawValue
        )
        _ = consume output
        _ = await events.next("ready")
        return process
    }

    private func sessions(of home: TestHome) async throws -> Int {
        let status = try await home.ferry("daemon", "status", "--json")
        let value = status.output.split(separator: "\"sessions\":").dropFirst().first
        return value.flatMap { Int($0.prefix(while: \.isNumber)) } ?? 0
    }

    /// Expects that no thread of some processes wakes up for three seconds, once they have come to rest.
    private func expectNoWakeUps(of processes: Int32...) async throws {
        try await Task.sleep(for: .seconds(1))
        let before = processes.map(wakeUps)
        try await Task.sleep(for: .seconds(3))
        #expect(processes.map(wakeUps) == before)
    }

    /// How often the threads of a process have begun to wait, by thread.
    private func wakeUps(of process: Int32) -> [String: String] {
        let directory = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return Dictionary(
            uniqueKeysWithValues: threads.map { thread in
                let status = try? String(
                    contentsOfFile: "\(directory)/\(thread)/status",
                    encoding: .utf8
                )
                let line = status?.split(separator: "\n").first {
                    $0.hasPrefix("voluntary_ctxt_switches")
                }
                return (thread, String(line ?? "gone"))
            }
        )
    }
}
