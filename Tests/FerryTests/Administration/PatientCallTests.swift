import FerrySystem
import FerryTestSupport
import FerryWire
import Glibc
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

    @Test func `a daemon that is stopped while it is waited for is named`() async throws {
        let locations = SocketLocations(
            BaseDirectories(environment: ["HOME": "/", "XDG_STATE_HOME": temporary.path])
        )
        let process = process
        defer {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        let result = await withCheckedContinuation { continuation in
            let call = PatientCall<Int>(to: locations) { continuation.resume(returning: $0) }
            call.wait(.milliseconds(1))
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
