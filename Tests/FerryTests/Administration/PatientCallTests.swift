import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Ferry

/// Calls to a daemon that does not answer.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct PatientCallTests {
    private let temporary: TemporaryDirectory
    private let process: Int32

    init() throws {
        temporary = try TemporaryDirectory()
        process = try ProcessLaunch(
            executable: "/bin/sleep",
            arguments: ["1000"],
            environment: [:],
            directory: "/"
        ).start()
        let state = try temporary.directory.openSubdirectory("ferry")
        let lock = try state.open(StateDirectory.lockName, .create)
        try Array("\(process)\n".utf8).withUnsafeBytes { try lock.writeAll($0) }
    }

    private func end() {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    @Test func `a daemon that does not answer is told of, and given up if that is wanted`()
        async throws
    {
        defer { end() }
        let locations = SocketLocations(
            BaseDirectories(environment: ["HOME": "/", "XDG_STATE_HOME": temporary.path])
        )
        let reports = Mutex<[String]>([])
        let policy = WaitPolicy(
            untilReport: .milliseconds(1),
            limit: .milliseconds(50),
            report: { message in reports.withLock { $0.append(message) } }
        )
        let result = await withCheckedContinuation { continuation in
            let call = PatientCall<Int>(to: locations) { continuation.resume(returning: $0) }
            call.wait(policy)
        }
        let name = "ferryd, process \(process), has not answered for 0 seconds"
        #expect(reports.withLock { $0 } == ["\(name); still waiting"])
        let message = "\(name); 'kill -9 \(process)' ends it"
        #expect(result == .failure(TransferDaemonError(.disconnected, message: message)))
    }

    @Test func `a daemon that stops, but does not end, is told of`() async throws {
        let environment = ["HOME": "/", "XDG_STATE_HOME": temporary.path]
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let connection = AdministrationConnection(
            startsIfNeeded: false,
            starter: DaemonStarter(environment: environment),
            policy: WaitPolicy(untilReport: .milliseconds(1), report: { report.yield($0) })
        )
        let end = try ProcessEnd(of: process)
        async let wait: Void = connection.wait(for: end)
        var iterator = reports.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first == "ferryd, process \(process), has not ended for 0 seconds; still waiting")
        self.end()
        try await wait
    }

    @Test func `a daemon that has answered is not told of`() async throws {
        defer { end() }
        let reports = Mutex<[String]>([])
        let policy = WaitPolicy(
            untilReport: .milliseconds(1),
            limit: .milliseconds(1),
            report: { message in reports.withLock { $0.append(message) } }
        )
        let locations = SocketLocations(BaseDirectories(environment: ["HOME": "/none"]))
        let result = await withCheckedContinuation { continuation in
            let call = PatientCall<Int>(to: locations) { continuation.resume(returning: $0) }
            call.wait(policy)
            call.finish(.success(1))
        }
        #expect(result == .success(1))
        await withCheckedContinuation { continuation in
            _ = EventLoop.shared.schedule(after: .milliseconds(20)) { continuation.resume() }
        }
        #expect(reports.withLock { $0 } == [])
    }

    @Test func `a daemon that is stopped while it is waited for is named`() async throws {
        let locations = SocketLocations(
            BaseDirectories(environment: ["HOME": "/", "XDG_STATE_HOME": temporary.path])
        )
        let process = process
        defer { end() }
        let result = await withCheckedContinuation { continuation in
            let call = PatientCall<Int>(to: locations) { continuation.resume(returning: $0) }
            call.wait(WaitPolicy(untilCheck: .milliseconds(1)))
            // By then it was looked at, and was at work.
            _ = EventLoop.shared.schedule(after: .milliseconds(50)) { kill(process, SIGSTOP) }
        }
        guard case .failure(let error) = result else {
            Issue.record("it has answered")
            return
        }
        #expect(error.code == .disconnected)
        #expect(error.message.contains("process \(process), is stopped"))
    }
}
