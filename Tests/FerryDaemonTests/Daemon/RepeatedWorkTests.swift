import FerryHTTP
import FerryStore
import FerrySystem
import FerryTestSupport
import FerryTransfer
import FerryWire
import Foundation
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import FerryDaemon

/// That what a real daemon does off the loop is over when it fails, so that the same can be done again.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct RepeatedWorkTests {
    let bench: DaemonBench

    init() async throws { bench = try await DaemonBench() }

    @Test func `TEST-16: an application whose file is absent at first is started when it is there`()
        async throws
    {
        let daemon = try await bench.start()
        let place = bench.temporary.directory.path(of: "app")
        var launch = Wire.Launch.sample
        launch.executable = place
        launch.arguments = ["1000"]
        launch.directory = "/"
        for attempt in 1...3 {
            daemon.launch(1, launch, session: "session")
            #expect(daemon.starts[1] == launch, "attempt \(attempt) begins")
            try await bench.work { daemon.starts.isEmpty }
            #expect(daemon.children.isEmpty)
        }
        try FileManager.default.createSymbolicLink(
            atPath: place,
            withDestinationPath: "/bin/sleep"
        )
        daemon.launch(1, launch, session: "session")
        try await bench.work { daemon.starts.isEmpty }
        #expect(daemon.children.count == 1)
        daemon.children[1]?.signal(SIGKILL)
        try await bench.work { daemon.children.isEmpty }
        // One that has ended is started again as well.
        daemon.launch(1, launch, session: "session")
        try await bench.work { daemon.starts.isEmpty }
        #expect(daemon.children.count == 1)
        daemon.children[1]?.signal(SIGKILL)
        try await bench.work { daemon.children.isEmpty }
        await bench.end()
    }

    @Test func `TEST-16: an application whose directory is absent is started, and started again`()
        async throws
    {
        let daemon = try await bench.start()
        var launch = Wire.Launch.sample
        launch.executable = "/bin/true"
        launch.directory = "/nonexistent"
        for _ in 1...2 {
            daemon.launch(1, launch, session: "session")
            try await bench.work { daemon.starts.isEmpty && daemon.children.isEmpty }
        }
        await bench.end()
    }

    @Test func `TEST-16: a file that could not be copied for another task is copied the next time`()
        async throws
    {
        let daemon = try await bench.start()
        let copy = DaemonStateMachine.FileCopy(
            leader: 1,
            follower: 2,
            byteCount: 5,
            application: 1
        )
        daemon.copyFile(copy)
        #expect(daemon.copies[2] != nil)
        try await bench.work { daemon.copies.isEmpty }
        let name = daemon.files.path(of: 1).split(separator: "/").last.map(String.init)
        try bench.leave(
            Array("hello".utf8),
            of: "http://a/1",
            as: try #require(name),
            in: bench.downloads
        )
        daemon.copyFile(copy)
        try await bench.work { daemon.copies.isEmpty }
        let path = daemon.files.path(of: 2)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("hello".utf8))
        await bench.end()
    }

    @Test func `TEST-16: a transfer that cannot be made is made the next time`() async throws {
        let daemon = try await bench.start()
        var task = TaskRecord(
            id: 1,
            sessionID: 1,
            identifier: 1,
            state: .waiting,
            host: "127.0.0.1:9",
            request: Encoded(Wire.Request.sample("http://127.0.0.1:9/")),
            createdAt: Date()
        )
        // A file of which something else was said than what is there.
        let failure = TransferError(code: .fileMissing, message: "not there")
        task.checkpoint = Encoded(ByteState(failure: failure))
        func start() {
            let start = DaemonStateMachine.TransferStart(task: task, additionalFields: [])
            daemon.driver.perform([.start(start)])
        }
        for _ in 1...2 {
            start()
            try await bench.work { daemon.driver.transfers.tasks.isEmpty }
        }
        task.checkpoint = nil
        start()
        try await bench.work { daemon.driver.transfers[1] != nil }
        await bench.end()
    }

    @Test func `TEST-16: trusted authorities that could not be read are read the next time`()
        async throws
    {
        let readings = Mutex(0)
        let files = ConnectionFiles(lifetime: .zero) { _ in
            let count = readings.withLock {
                $0 += 1
                return $0
            }
            guard count > 1 else {
                return .failure(TransferError(code: .fileMissing, message: "not there"))
            }
            return .success(ConnectionSetup())
        }
        var connections = Wire.Connections()
        connections.authorityFile = "/ca.pem"
        var results: [Bool] = []
        for _ in 1...2 {
            let result = await withCheckedContinuation { continuation in
                files.read(connections, ofSession: 1, createdAt: Date(), at: Date()) {
                    continuation.resume(returning: (try? $0.get()) != nil)
                }
            }
            results.append(result)
        }
        #expect(results == [false, true])
    }
}
