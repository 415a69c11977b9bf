import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

@Suite("Hints about what a transfer needs", .timeLimit(.minutes(1)))
struct BackgroundHintTests {
    private let daemon: ScriptedDaemon
    private let app: BackgroundApp
    private let url: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        app = BackgroundApp(daemon)
        url = try #require(URL(string: "https://example.com/song"))
    }

    /// Has a download finish in a session that was configured like that.
    ///
    /// - Returns: The session, and how the daemon knows it.
    private func finishDownload(
        in identifier: String,
        _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) async throws -> (URLSession, Wire.SessionConfiguration?) {
        let app = BackgroundApp(daemon)
        let session = app.session(identifier, change)
        session.downloadTask(with: url).resume()
        await session.flush()
        try await daemon.finish(1, in: identifier, contents: "la")
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls.last == .completed(1, nil))
        var configuration = await daemon.sessions[identifier]?.configuration
        // It is found out by the first task of all tests whether the delegate's type has the method.
        configuration?.collectsMetrics = nil
        return (session, configuration)
    }

    @Test func `BG-12: a container for extensions is kept, and nothing fails without one`()
        async throws
    {
        let (plain, plainConfiguration) = try await finishDownload(in: "plain")
        #expect(plain.configuration.sharedContainerIdentifier == nil)
        let (sharing, configuration) = try await finishDownload(in: "sharing") {
            $0.sharedContainerIdentifier = "group.example"
        }
        #expect(sharing.configuration.sharedContainerIdentifier == "group.example")
        #expect(configuration == plainConfiguration)
    }

    @Test func `BG-22: the tasks of a discretionary session wait for mains power`() async throws {
        let (plain, plainConfiguration) = try await finishDownload(in: "plain")
        #expect(!plain.configuration.isDiscretionary)
        #expect(plainConfiguration?.avoids == nil)
        let (discretionary, configuration) = try await finishDownload(in: "discretionary") {
            $0.isDiscretionary = true
        }
        #expect(discretionary.configuration.isDiscretionary)
        let avoids: [Wire.Condition] = [
            .expensiveNetwork, .constrainedNetwork, .battery, .powerSaver, .outsideHours,
        ]
        #expect(configuration?.avoids == avoids)
    }

    @Test
    func `allowsCellularAccess and the like: the session's tasks avoid what it does not allow`()
        async throws
    {
        let (_, cellular) = try await finishDownload(in: "a") { $0.allowsCellularAccess = false }
        #expect(cellular?.avoids == [.cellularNetwork])
        let (_, expensive) = try await finishDownload(in: "b") {
            $0.allowsExpensiveNetworkAccess = false
        }
        #expect(expensive?.avoids == [.expensiveNetwork])
        let (_, constrained) = try await finishDownload(in: "c") {
            $0.allowsConstrainedNetworkAccess = false
        }
        #expect(constrained?.avoids == [.constrainedNetwork])
    }

    @Test func `BG-23: what an app expects of a task is kept, and no limit`() async throws {
        let session = app.session()
        let task = session.downloadTask(with: url)
        #expect(task.countOfBytesClientExpectsToSend == NSURLSessionTransferSizeUnknown)
        #expect(task.countOfBytesClientExpectsToReceive == NSURLSessionTransferSizeUnknown)
        task.countOfBytesClientExpectsToSend = 1
        task.countOfBytesClientExpectsToReceive = 2
        task.resume()
        await session.flush()
        #expect(daemon.calls.requests == ["CreateDownload 1", "Resume 1"])
        try await daemon.finish(1, in: "tracks", contents: "a long song")
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls.contains(.finished(1, contents: Data("a long song".utf8))))
        #expect(app.recorder.calls.last == .completed(1, nil))
        #expect(task.countOfBytesExpectedToReceive == 11, "that of the response")
        #expect(task.countOfBytesClientExpectsToSend == 1)
        #expect(task.countOfBytesClientExpectsToReceive == 2)
    }
}
