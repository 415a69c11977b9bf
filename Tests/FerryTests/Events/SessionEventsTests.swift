import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

/// Loops over a background session's events, in place of a delegate.
@Suite(.timeLimit(.minutes(1))) struct SessionEventsTests {
    private let daemon: ScriptedDaemon
    private let app: BackgroundApp
    private let url: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        app = BackgroundApp(daemon)
        url = try #require(URL(string: "https://example.com/song"))
    }

    /// What a loop gets, as text.
    private static func text(_ event: URLSession.Event) -> String {
        switch event {
        case .progress(let task): "progress \(task.countOfBytesReceived)"
        case .file(let task, let location):
            "file \(task.taskIdentifier) \((try? String(contentsOf: location, encoding: .utf8)) ?? "-")"
        case .data(_, let data): "data \(String(decoding: data, as: UTF8.self))"
        case .end(let task, let error):
            "end \(task.taskIdentifier) \((error as? URLError).map { "\($0.code.rawValue)" } ?? "well")"
        case .challenge(let challenge): "challenge \(challenge.challenge.protectionSpace.host)"
        case .finishedEvents: "finished"
        }
    }

    private func run(_ session: URLSession) async {
        session.downloadTask(with: url).resume()
        await session.flush()
    }

    private func fail(_ task: Int, _ code: String, in identifier: String = "tracks") async {
        let failure = Wire.Failure(code: code, message: "")
        let event = Wire.Event(kind: .completed, task: task, failure: failure)
        await LoopActor.run { daemon.emit(event, in: identifier) }
    }

    private var acknowledged: [[Int64]] { get async { await daemon.acknowledgements } }

    @Test func `an event is acknowledged when the loop asks for the next one`() async throws {
        let session = app.session(hasDelegate: false)
        await run(session)
        var events = session.events.makeAsyncIterator()
        try await daemon.finish(1, in: "tracks", contents: "la")
        var seen: [String] = []
        repeat {
            seen.append(Self.text(try #require(try await events.next())))
        } while !seen
            .contains("end 1 well")
        #expect(seen.filter { !$0.hasPrefix("progress") } == ["file 1 la", "end 1 well"])
        await session.flush()
        #expect(await acknowledged.isEmpty)
        #expect(await session.allTasks.isEmpty)
        let rest = Task { [events] in
            var events = events
            return try await events.next().map(Self.text)
        }
        await daemon.calls.wait(for: "Acknowledge")
        #expect(await acknowledged == [[1]])
        session.finishTasksAndInvalidate()
        #expect(try await rest.value == nil)
    }

    @Test func `a loop that is left begins again with the event in which it was left`() async throws
    {
        let session = app.session(hasDelegate: false)
        await run(session)
        try await daemon.finish(1, in: "tracks", contents: "la")
        for try await event in session.events {
            guard case .file(_, let location) = event else { continue }
            try FileManager.default.removeItem(at: location)
            break
        }
        #expect(await acknowledged.isEmpty)
        var seen: [String] = []
        session.finishTasksAndInvalidate()
        for try await event in session.events { seen.append(Self.text(event)) }
        #expect(seen == ["end 1 well"])
        #expect(await acknowledged == [[1]])
    }

    @Test func `the next launch gets what a killed one has not dealt with`() async throws {
        let session = app.session(hasDelegate: false)
        await run(session)
        try await daemon.finish(1, in: "tracks", contents: "la")
        var events = session.events.makeAsyncIterator()
        while let event = try await events.next() { if case .file = event { break } }
        try await app.die(with: daemon)
        let next = BackgroundApp(
            daemon,
            launchReason: .backgroundURLSession(identifier: "tracks")
        ).session(hasDelegate: false)
        var seen: [String] = []
        for try await event in next.events {
            seen.append(Self.text(event))
            if case .finishedEvents = event { next.finishTasksAndInvalidate() }
        }
        let told = seen.filter { !$0.hasPrefix("progress") }
        #expect(told == ["file 1 la", "end 1 well", "finished"])
        _ = events
    }

    @Test func `what ended before the loop began is not lost`() async throws {
        let session = app.session(hasDelegate: false)
        for _ in 1...3 { await run(session) }
        try await daemon.finish(2, in: "tracks", contents: "la")
        await fail(1, "badServerResponse")
        await fail(3, "cancelled")
        for task in await LoopActor.run({ session.core.tasks }) {
            while task.state != .completed { await Task.yield() }
        }
        session.finishTasksAndInvalidate()
        var seen: [String] = []
        for try await event in session.events { seen.append(Self.text(event)) }
        #expect(seen.sorted() == ["end 1 -1011", "end 2 well", "end 3 -999", "file 2 la"])
        #expect(await acknowledged.flatMap { $0 }.sorted() == [1, 2, 3])
    }

    @Test func `a slow loop gets the newest progress`() async throws {
        let session = app.session(hasDelegate: false)
        await run(session)
        var events = session.events.makeAsyncIterator()
        for count in 1...50 {
            let event = Wire.Event(
                kind: .progress,
                task: 1,
                receivedByteCount: Int64(count),
                expectedByteCount: 50
            )
            await LoopActor.run { daemon.emit(event, in: "tracks") }
        }
        let task = try #require(session.core.tasks.first)
        while task.countOfBytesReceived < 50 { await Task.yield() }
        #expect(try await events.next().map(Self.text) == "progress 50")
    }

    @Test func `a file that was removed before the loop came to it is an error`() async throws {
        let session = app.session(hasDelegate: false)
        await run(session)
        let file = try await daemon.finish(1, in: "tracks", contents: "la")
        let task = try #require(session.core.tasks.first)
        let unread = try #require(session.core.unread)
        await withCheckedContinuation { ended in unread.wait { ended.resume() } }
        try FileManager.default.removeItem(at: file)
        session.finishTasksAndInvalidate()
        var seen: [String] = []
        for try await event in session.events { seen.append(Self.text(event)) }
        #expect(seen == ["end 1 -1100"])
        #expect((task.error as? URLError)?.code == .fileDoesNotExist)
    }

    @Test func `the body of the response to an upload comes before its end`() async throws {
        let temporary = try TemporaryDirectory()
        let file = URL(filePath: temporary.path + "/song")
        try Data("la".utf8).write(to: file)
        let session = app.session(hasDelegate: false)
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        session.uploadTask(with: request, fromFile: file).resume()
        await session.flush()
        try await daemon.finish(1, in: "tracks", contents: "thanks")
        session.finishTasksAndInvalidate()
        var seen: [String] = []
        for try await event in session.events { seen.append(Self.text(event)) }
        #expect(seen.filter { !$0.hasPrefix("progress") } == ["data thanks", "end 1 well"])
    }

    @Test func `a loop over the events has the app started again`() async throws {
        let application = Application(
            environment: .init(
                launchReason: .user,
                executablePath: "/bin/app",
                relaunch: Application.Relaunch(executable: "/bin/app")
            )
        )
        #expect(application.registeredRelaunch == nil)
        application.takesEvents()
        #expect(application.registeredRelaunch?.executable == "/bin/app")
        application.relaunch = nil
        #expect(application.registeredRelaunch == nil)
    }

    @Test func `cancelling the Swift task leaves the transfers running`() async throws {
        let session = app.session(hasDelegate: false)
        await run(session)
        let loop = Task { for try await _ in session.events {} }
        await daemon.calls.wait(for: "ReceiveEvents")
        loop.cancel()
        await #expect(throws: CancellationError.self) { try await loop.value }
        #expect(session.core.tasks.map(\.state) == [.running])
    }

    @Test func `a session that cannot be opened ends the loop with the reason`() async throws {
        let session = await app.refusedSession(of: daemon)
        do {
            for try await _ in session.events {}
            Issue.record("The loop has ended without an error.")
        } catch let error as URLError {
            #expect(error.code == .backgroundSessionInUseByAnotherProcess)
        }
    }

    @Test func `the next loop tries the session again`() async throws {
        let session = await app.refusedSession(of: daemon)
        await #expect(throws: URLError.self) { for try await _ in session.events {} }
        let loop = Task {
            for try await event in session.events { if case .end = event { return } }
        }
        await daemon.calls.wait(for: "ReceiveEvents")
        await run(session)
        try await daemon.finish(1, in: "tracks", contents: "la")
        try await loop.value
    }

    @Test func `a slow loop holds further ends up`() async throws {
        let session = app.session(hasDelegate: false)
        let count = EventLedger.limit + 50
        for _ in 1...count { session.downloadTask(with: url).resume() }
        await session.flush()
        var events = session.events.makeAsyncIterator()
        for task in 1...count { await fail(task, "cancelled") }
        await daemon.calls.wait(for: "HoldEvents")
        var ends = 0
        while ends < count, let event = try await events.next() {
            if case .end = event { ends += 1 }
        }
        #expect(ends == count)
    }

    @Test func `a session that is cancelled after its loop was left ends`() async throws {
        let session = app.session(hasDelegate: false)
        await run(session)
        await run(session)
        await fail(1, "badServerResponse")
        for try await event in session.events { if case .end = event { break } }
        session.invalidateAndCancel()
        // Nobody has said that the first end was dealt with.
        var seen: [String] = []
        for try await event in session.events { seen.append(Self.text(event)) }
        #expect(!seen.contains("end 1 -1011"), "\(seen)")
        #expect(await acknowledged.allSatisfy { $0 == [2] })
    }

    @Test func `a session with a delegate, or in the app's process, says what to do`() async throws
    {
        for session in [app.session(), URLSession(configuration: .ephemeral)] {
            do {
                for try await _ in session.events {}
                Issue.record("The loop has ended without an error.")
            } catch let error as URLError {
                #expect(error.code == .resourceUnavailable)
                #expect(error.localizedDescription.contains("make it with"))
            }
        }
    }

    @Test func `a session that is cancelled before anybody reads leaves its events`() async throws {
        let session = app.session(hasDelegate: false)
        await run(session)
        try await daemon.finish(1, in: "tracks", contents: "la")
        let unread = try #require(session.core.unread)
        await withCheckedContinuation { ended in unread.wait { ended.resume() } }
        session.invalidateAndCancel()
        for try await event in session.events { Issue.record("\(Self.text(event))") }
        #expect(await acknowledged.isEmpty)
    }

    // MARK: - Challenges

    private static let challenge = Wire.Event(
        kind: .challenged,
        task: 1,
        question: 7,
        challenge: Wire.Challenge(
            origin: "https://example.com:443",
            previousFailureCount: 0,
            response: Wire.Response(
                status: 401,
                version: "HTTP/1.1",
                fields: [],
                url: "https://example.com/song"
            ),
            password: Wire.PasswordChallenge(
                scheme: "basic",
                parameters: ["realm": "music"],
                isProxy: false
            )
        )
    )

    @Test(arguments: [true, false])
    func `a challenge that the loop does not answer is handled by default`(
        isAnswered: Bool
    ) async throws {
        let session = app.session(hasDelegate: false) { $0.deliversChallenges = true }
        await run(session)
        let configuration = await daemon.sessions["tracks"]?.configuration
        #expect(configuration?.answersPasswords == true)
        #expect(configuration?.answersCertificates == true)
        await LoopActor.run { daemon.emit(Self.challenge, in: "tracks") }
        let loop = Task {
            for try await event in session.events {
                guard isAnswered, case .challenge(let challenge) = event else { continue }
                let credential = URLCredential(user: "jo", password: "x", persistence: .none)
                challenge.answer(.useCredential, credential)
            }
        }
        await daemon.calls.wait(for: "AnswerChallenge 1 7")
        #expect(await daemon.answers.map(\.disposition) == [isAnswered ? .use : .goOn])
        loop.cancel()
    }

    @Test func `a challenge in which a loop was left comes again in the next one`() async throws {
        let session = app.session(hasDelegate: false) { $0.deliversChallenges = true }
        await run(session)
        await LoopActor.run { daemon.emit(Self.challenge, in: "tracks") }
        for try await event in session.events { if case .challenge = event { break } }
        #expect(await daemon.answers.isEmpty)
        for try await event in session.events {
            guard case .challenge(let challenge) = event else { continue }
            challenge.answer(.cancelAuthenticationChallenge)
            break
        }
        await daemon.calls.wait(for: "AnswerChallenge 1 7")
        #expect(await daemon.answers.map(\.disposition) == [.cancel])
    }

    @Test func `challenges stay with the daemon unless the configuration says otherwise`() async {
        await run(app.session(hasDelegate: false))
        let configuration = await daemon.sessions["tracks"]?.configuration
        #expect(configuration?.answersPasswords == false)
        #expect(configuration?.answersCertificates == false)
    }
}
