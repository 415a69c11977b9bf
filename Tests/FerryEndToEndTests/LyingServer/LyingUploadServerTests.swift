import FerryTestSupport
import FoundationEssentials
import Testing

/// Servers that lie to those who upload, all at once, to a session of an app's own and to ferryd.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LyingUploadServerTests {
    typealias Place = LyingServerRun.Place

    @Test(arguments: Place.allCases)
    func `an upload arrives as it is, or its task fails`(place: Place) async throws {
        let run = try await LyingServerRun([], in: place)
        let file = run.home.files + "/source"
        try Data(LyingUploadServer.content.bytes).write(to: URL(filePath: file))
        let servers = try LyingUploadServer.all.map {
            try UploadServer(version: 8, behaviour: $0.treatment)
        }
        let uploads = servers.flatMap { ["--upload", "\($0.url("/in")) \(file)"] }
        await run.end(of: try await run.start(uploads))
        for (index, lie) in LyingUploadServer.all.enumerated() {
            expectOutcome(of: lie, servers[index], task: index + 1, run)
        }
    }

    private func expectOutcome(
        of lie: LyingUploadServer,
        _ server: UploadServer,
        task: Int,
        _ run: LyingServerRun
    ) {
        let comment = Comment(rawValue: lie.behaviour)
        let ends = run.events.lines.filter { $0.hasPrefix("completed \(task) ") }
        let answers = run.events.lines.filter { $0.hasPrefix("data \(task) ") }
        switch (lie.outcome, run.place) {
        case (.upload, _), (.interruption, .daemon):
            #expect(ends == ["completed \(task) ok"], comment)
            #expect(answers == ["data \(task) 200 thanks"], comment)
            let bytes = server.contents(of: "/in")
            #expect(LyingUploadServer.content.firstDifference(from: bytes) == nil, comment)
        case (.answer(let status), _):
            #expect(ends == ["completed \(task) ok"], comment)
            #expect(answers == ["data \(task) \(status) no"], comment)
        case (.error(let failure), _), (.interruption(let failure), .app):
            #expect(ends == ["completed \(task) \(failure.rawValue)"], comment)
            #expect(answers == [], comment)
        }
        #expect(server.violations == [], comment)
    }
}
