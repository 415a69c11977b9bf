import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Synchronization

/// One run of an app's downloads and uploads with a ferryd to which something happens at a system call.
///
/// The app makes its tasks, takes what has ended, and is killed while one download is held up; so
/// ferryd starts it once more for that one. Whatever happens to the first ferryd, another takes its
/// place, to which nothing happens.
final class BoundaryRun {
    /// How far the run has got.
    private enum Phase {
        case starting, transferring, flushing, relaunching, done
    }

    // The app has to come before ferryd has waited long enough, even on a busy machine.
    static let daemonArguments = [
        "--retry-delay", "0.02", "--relaunch-delay", "0.02", "--idle-time", "1",
        "--full-disk-delay", "0.02", "--splice-from", "65536", "--connections", "2",
        "--connection-trial", "0", "--connections-from", "\(BoundaryScript.dividedFrom)",
    ]
    /// A run that takes longer hangs.
    private static let limit = Duration.seconds(40)

    let home: TestHome
    let events: EventPipe
    let server: FixtureServer
    let uploadServer: UploadServer
    let script = BoundaryScript()
    let target: BoundaryTarget?
    private let gate: StartGate

    private var phase = Phase.starting
    private(set) var isHit = false
    private(set) var end: String?
    private(set) var complaint = ""
    private var holder: FileDescriptor?
    /// Set when the start of another ferryd, if one was asked for, is over.
    private var anotherStarted: AsyncValue<Void>?
    private var app: TestProcess?
    private var isReady = false
    /// The numbers of the tasks, in the order of the script.
    private(set) var numbers: [String] = []
    private(set) var secondNumber = ""
    /// The number of the task that goes on from the resume data.
    private(set) var continued: String?
    private(set) var hasNoContinuation = false
    private var told: Set<String> = []
    /// How many requests there had been at each server when the app was told of the end of a task.
    private(set) var requestCounts: [String: (server: Int, uploadServer: Int)] = [:]
    private(set) var remainders: [Remainder] = []
    private let overdue = Overdue()

    init(_ target: BoundaryTarget?) async throws {
        self.target = target
        home = try TestHome(
            // To look for leaks a process must be traced, and this one is traced already.
            variables: Sanitizer.withoutSearchForLeaks,
            in: ProcessEnvironment["FERRY_BOUNDARY_DIRECTORY"] ?? "/tmp"
        )
        events = try await EventPipe(in: home)
        server = try FixtureServer()
        uploadServer = try script.uploadServer()
        gate = try StartGate(in: home, daemonArguments: Self.daemonArguments)
        script.arrange(server)
        try script.writeSources(in: home)
    }

    /// The calls of a run in which nothing happened.
    var calls: CallCount {
        get throws { try CallCount(contentsOf: home.path + "/calls") }
    }

    /// Runs it to its end and says what came of it.
    func run() async throws -> BoundaryOutcome {
        let watchdog = startWatchdog()
        defer { watchdog.cancel() }
        let daemon = try await TracedDaemon(in: home, events: events, target: target)
        let teller = Task { @Sendable [events] in
            let complaint = await daemon.complaintOnceStarted()
            events.write("served \(complaint.replacing("\n", with: " "))")
        }
        let guardian = Task { @Sendable [events] in
            let exit = await daemon.ended()
            if exit != .exited(status: 0) { events.write("untraced \(exit)") }
        }
        while phase != .done || end == nil, !isLate { try await handle(await events.next()) }
        await anotherStarted?.value
        if !isLate { await home.untilNoDaemon() }
        await teller.value
        let outcome = try await judge()
        // What the tracer follows has ended, so that it has, too.
        await guardian.value
        return outcome
    }

    // MARK: - What happens

    private func handle(_ line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "hit":
            isHit = true
            // Who knows whether there are going to be several connections.
            script.othersGate.open()
            script.partsGate.open()
        case "untraced": throw CannotTrace(exit: words.dropFirst().joined(separator: " "))
        case "end": try await daemonEnded(words.dropFirst().joined(separator: " "))
        case "served":
            complaint = words.dropFirst().joined(separator: " ")
            if complaint.isEmpty, end == nil { holder = try? starter.connect(starting: false) }
            try await startApp()
        case "ready":
            holder = nil
            isReady = true
        case "created" where words.count == 2 && numbers.count < taskCount:
            // One that ferryd cannot have gets a number of another kind.
            numbers.append(words[1])
        case "completed" where words.count == 3: recordEnd(of: words[1])
        case "second" where words.count == 3 && words[1] == "created": secondNumber = words[2]
        case "second" where words.last == "invalid": recordEnd(of: "second")
        case "continued" where words.count == 2: continued = words[1]
        case "no-resume-data": hasNoContinuation = true
        case "flushed": try await killApp()
        case "handled": phase = .done
        default: break
        }
        if areTold(but: [lastTask, task(BoundaryScript.divided)]) { script.othersGate.open() }
        if phase == .transferring, isReady, areTold(but: [lastTask]) {
            phase = .flushing
            app?.signal(SIGUSR1)
        }
    }

    var starter: DaemonStarter { DaemonStarter(environment: home.environment) }

    private func startApp() async throws {
        phase = .transferring
        app = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", home.files,
                "--interrupt", BoundaryScript.interrupted,
                "--second-url", server.url(script.second.path), "--flush-on-signal", "yes",
            ] + script.items.flatMap { ["--url", server.url($0.path)] } + uploadArguments,
            environment: home.environment
        )
    }

    private var uploadArguments: [String] {
        script.uploads.flatMap { upload in
            let url = isResumable(upload) ? uploadServer.url(upload.path) : server.url(upload.path)
            return ["--upload", "\(url) \(script.source(of: upload, in: home))"]
        }
    }

    /// Whether an upload goes to the server that continues it.
    func isResumable(_ upload: BoundaryScript.Item) -> Bool {
        upload.name == BoundaryScript.resumable
    }

    /// How many tasks the first session has, without the continuation.
    private var taskCount: Int { script.items.count + script.uploads.count }

    /// Whether the app knows the end of every task but some.
    private func areTold(but others: [String]) -> Bool {
        guard numbers.count == taskCount, told.contains("second"),
            numbers.allSatisfy({ others.contains($0) || told.contains($0) })
        else { return false }
        // The continuation is made when the end of the interrupted task is known.
        guard isInterrupted, !hasNoContinuation else { return true }
        return continued.map { told.contains($0) } ?? false
    }

    var interruptedTask: String { task(BoundaryScript.interrupted) }

    private var lastTask: String { task(BoundaryScript.last) }

    /// The number of a task, as the app's lines have it.
    func task(_ name: String) -> String {
        let index = (script.items + script.uploads).firstIndex { $0.name == name } ?? 0
        return index < numbers.count ? numbers[index] : "none"
    }

    private var isInterrupted: Bool {
        events.lines.contains("completed \(interruptedTask) -999")
    }

    private func recordEnd(of task: String) {
        if task == interruptedTask { script.pausedGate.open() }
        told.insert(task)
        requestCounts[task] = (server.requests.count, uploadServer.requests.count)
    }

    private func daemonEnded(_ end: String) async throws {
        self.end = end
        if end.hasPrefix("killed") { remainders = try await findRemainders() }
        gate.open()
        // The app starts another one, if there is an app.
        if phase == .relaunching { startAnother() }
    }

    private func killApp() async throws {
        phase = .relaunching
        await app?.killed()
        script.lastGate.open()
        if told.contains(lastTask) { phase = .done } else if end != nil { startAnother() }
    }

    /// As any program does that asks ferryd for something.
    private func startAnother() {
        let starter = starter
        let started = AsyncValue<Void>()
        anotherStarted = started
        Thread.detachNewThread {
            _ = try? starter.connect()
            started.set(())
        }
    }

    /// Whether it takes too long.
    var isLate: Bool { overdue.isSet }

    private func startWatchdog() -> Task<Void, Never> {
        Task { @Sendable [events, overdue, home] in
            do {
                try await Task.sleep(for: Self.limit)
                overdue.set()
                events.write("late")
                // Whatever is waited for now is the end of a process.
                try await Task.sleep(for: .seconds(10))
                home.killAll()
            } catch {
                // The run is over.
            }
        }
    }
}

/// System calls cannot be traced here.
private struct CannotTrace: Error, CustomStringConvertible {
    let exit: String

    var description: String {
        """
        system-call-tracer has ended: \(exit); what it has written above says why. These tests need \
        ptrace(2) and seccomp(2): in a container, allow them (docker run --cap-add SYS_PTRACE \
        --security-opt seccomp=unconfined)
        """
    }
}

/// Whether a run takes too long.
private final class Overdue: Sendable {
    private let flag = Mutex(false)

    var isSet: Bool { flag.withLock { $0 } }

    func set() { flag.withLock { $0 = true } }
}
