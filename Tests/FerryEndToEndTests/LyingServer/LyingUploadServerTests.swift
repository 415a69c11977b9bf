import FerryTestSupport
import FoundationEssentials
import Testing

/// Servers that lie to those who upload, all at once, to a session of an app's own and to ferryd.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LyingUploadServerTests {
    typealias Place = LyingServerRun.Place

    @Test(arguments: Place.allCases)
    func `an upload arrives as it is, or its task fails`(place: Place) async throws {
        let servers = try LyingUploadServer.all.map {
            try UploadServer(version: 8, behaviour: $0.treatment)
        }
        let run = try await upload(to: servers.map { $0.url("/in") }, by: "PUT", in: place)
        for (index, lie) in LyingUploadServer.all.enumerated() {
            let task = index + 1
            let end = expectOutcome(lie.outcome, lie.behaviour, task: task, run)
            let comment = Comment(rawValue: lie.behaviour)
            #expect(servers[index].violations == [], comment)
            guard end == .arrival else { continue }
            #expect(run.events.lines.contains("data \(task) 200 thanks"), comment)
            let bytes = servers[index].contents(of: "/in")
            #expect(LyingUploadServer.content.firstDifference(from: bytes) == nil, comment)
        }
    }

    @Test(arguments: Place.allCases)
    func `tus: an upload arrives as it is, or its task fails`(place: Place) async throws {
        let servers = try LyingTusServer.all.map { try TusEndpoint(treatment: $0.treatment) }
        let run = try await upload(to: servers.map(\.url), by: "POST", in: place)
        for (index, lie) in LyingTusServer.all.enumerated() {
            let end = expectOutcome(lie.outcome, lie.behaviour, task: index + 1, run)
            guard end == .arrival else { continue }
            let difference = LyingUploadServer.content.firstDifference(from: servers[index].bytes)
            #expect(difference == nil, Comment(rawValue: lie.behaviour))
        }
    }

    private func upload(
        to urls: [String],
        by method: String,
        in place: Place
    ) async throws -> LyingServerRun {
        let run = try await LyingServerRun([], in: place)
        let file = run.home.files + "/source"
        try Data(LyingUploadServer.content.bytes).write(to: URL(filePath: file))
        let uploads = urls.flatMap { ["--upload", "\($0) \(file)"] }
        await run.end(of: try await run.start(["--upload-method", method] + uploads))
        return run
    }

    /// What has become of an upload.
    private enum End {
        /// The server has to have all of it.
        case arrival
        /// A refusal or an error.
        case failure
    }

    private func expectOutcome(
        _ outcome: LyingUploadServer.Outcome,
        _ behaviour: String,
        task: Int,
        _ run: LyingServerRun
    ) -> End {
        let comment = Comment(rawValue: behaviour)
        let ends = run.events.lines.filter { $0.hasPrefix("completed \(task) ") }
        let answers = run.events.lines.filter { $0.hasPrefix("data \(task) ") }
        switch (outcome, run.place) {
        case (.upload, _), (.interruption, .daemon):
            #expect(ends == ["completed \(task) ok"], comment)
            return .arrival
        case (.answer(let status), _):
            #expect(ends == ["completed \(task) ok"], comment)
            #expect(answers == ["data \(task) \(status) no"], comment)
        case (.error(let failure), _), (.interruption(let failure), .app):
            #expect(ends == ["completed \(task) \(failure.rawValue)"], comment)
            #expect(answers == [], comment)
        }
        return .failure
    }
}
