import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Downloads from lying servers, all at once, by an app itself or by ferryd for it.
struct LyingServerRun {
    /// Who downloads.
    enum Place: String, CaseIterable, CustomTestStringConvertible, Sendable {
        /// A session of the app's own process.
        case app
        /// A background session.
        case daemon

        var testDescription: String { "in the \(rawValue)" }
    }

    let place: Place
    let home: TestHome
    let events: EventPipe
    /// A server of its own for each lie: the hosts' limits keep none of them waiting.
    let servers: [FixtureServer]
    private let lies: [LyingServer]
    private let files: Directory
    private let connections: Int
    /// What codings the app asks for.
    private let codings: String

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - lies: The servers, whose tasks are numbered in this order.
    ///   - place: Who downloads.
    ///   - connections: By how many connections one body is fetched.
    ///   - codings: What codings the app asks for.
    ///   - change: What is done to the first answer of each.
    /// - Throws: `SystemCallError`.
    init(
        _ lies: [LyingServer],
        in place: Place,
        connections: Int = 1,
        asking codings: String = "identity",
        changingFirst change: (FixtureAnswer) -> FixtureAnswer = { $0 }
    ) async throws {
        self.lies = lies
        self.place = place
        self.connections = connections
        self.codings = codings
        home = try TestHome(
            daemonArguments: [
                "--retry-delay", "0.001", "--relaunch-delay", "0.05", "--idle-time", "0.05",
                "--maximum-transfers", "200", "--connections", String(connections),
            ]
        )
        events = try await EventPipe(in: home)
        files = try Directory(opening: home.files)
        servers = try lies.map { _ in try FixtureServer() }
        for (index, lie) in lies.enumerated() {
            lie.serve(from: servers[index], at: path(index), changingFirst: change)
        }
    }

    private func path(_ index: Int) -> String { "/file-\(index)" }

    // MARK: Processes

    /// Starts the app, which ends when its session has, that is, after the last task.
    func start(
        _ arguments: [String] = [],
        variables: [String: String] = [:]
    ) async throws -> TestProcess {
        try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", home.files, "--finish", "yes",
                "--foreground", place == .app ? "yes" : "no",
                "--connections", String(connections),
            ] + arguments
                + lies.enumerated().flatMap { index, lie -> [String] in
                    let mirror = servers[index].url(LyingServer.mirrorPath)
                    return (lie.mirror == nil ? [] : ["--mirror", mirror])
                        + ["--timeout", lie.timeout, "--url", servers[index].url(path(index))]
                },
            environment: home.environment.merging(variables) { $1 }
        )
    }

    /// Waits for the end of the app and of ferryd, which ends when there is nothing left to do.
    func end(of app: TestProcess) async {
        _ = await events.next("invalid")
        #expect(await app.ended() == .exited(status: 0))
        await home.untilNoDaemon()
    }

    // MARK: What has to hold

    /// Every outcome is there, once; the servers were asked for no more than needed; and nothing
    /// else is left.
    func expectOutcomes() throws {
        var task = 0
        var count = 0
        for (index, lie) in lies.enumerated() {
            if case (.fileFromTheStart, .app) = (lie.outcome, place) {
                count += 1
            } else {
                task += 1
                try expectOutcome(of: lie, file: "file-\(index)", task: task)
            }
            expectRequests(for: lie, servers[index].requests(to: path(index)))
        }
        #expect(events.lines.count { $0 == "no-resume-data" } == count)
        #expect(events.lines.count { $0.hasPrefix("completed") } == task)
        let directory = home.state + "/downloads"
        let left = try? FileManager.default.contentsOfDirectory(atPath: directory)
        #expect((left ?? []).filter { $0.hasPrefix("CFNetworkDownload") } == [])
    }

    private func expectOutcome(of lie: LyingServer, file name: String, task: Int) throws {
        let comment = Comment(rawValue: lie.behaviour)
        let ends = events.lines.filter { $0.hasPrefix("completed \(task) ") }
        let finished = events.lines.filter { $0.hasPrefix("finished \(task) ") }
        switch (lie.outcome, place) {
        case (.file(let content, let status), _),
            (.interruption(_, let content, let status), .daemon),
            (.unavailability(let status, let content, _), .app):
            #expect(ends == ["completed \(task) ok"], comment)
            let shown = lie.statusShown(for: status, in: place)
            #expect(finished == ["finished \(task) \(name) \(shown)"], comment)
            #expect(try difference(of: name, from: content) == nil, comment)
        case (.fileFromTheStart(let content), _), (.unavailability(_, _, let content), .daemon):
            #expect(ends == ["completed \(task) ok"], comment)
            #expect(finished.count == 1, comment)
            #expect(try difference(of: name, from: content) == nil, comment)
        case (.error(let failure), _), (.interruption(let failure, _, _), .app):
            #expect(ends == ["completed \(task) \(failure.rawValue)"], comment)
            #expect(finished == [], comment)
            #expect(try files.status(of: name) == nil, comment)
        }
    }

    /// What was asked for, and on which condition.
    private func expectRequests(for lie: LyingServer, _ requests: [FixtureRequest]) {
        let comment = Comment(rawValue: lie.behaviour)
        for request in requests {
            // A comparison is asked for whatever the version.
            let isCompared = LyingServer.comparisons.contains(request.range)
            let condition = request.range == nil || isCompared ? nil : lie.validator
            #expect(request["If-Range"] == condition, comment)
            #expect(request["Accept-Encoding"] == codings, comment)
        }
        guard var asks = lie.asks else { return }
        switch (lie.outcome, place) {
        case (.interruption, .app), (.unavailability, .app): asks.removeLast(asks.count - 1)
        case (.fileFromTheStart, .app): asks = []
        default: break
        }
        if lie.beginning != nil { asks.insert(nil, at: 0) }
        #expect(requests.map(\.range) == asks, comment)
    }

    private func difference(of name: String, from content: FixtureContent) throws -> Int? {
        let path = "\(home.files)/\(name)"
        guard let data = FileManager.default.contents(atPath: path) else { return 0 }
        return content.firstDifference(from: [UInt8](data))
    }
}

extension LyingServer {
    /// The status that an app sees in place of a part's.
    ///
    /// Which requests ferryd makes for a file shows in no response; where an app uses resume data, it gets the part
    /// that it has asked for (RD-7).
    fileprivate func statusShown(for status: Int, in place: LyingServerRun.Place) -> Int {
        status == 206 && beginning != nil && place == .daemon ? 200 : status
    }
}
