import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryWire

/// Clients that are gone while a file that they have passed does not answer.
@Suite(.enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(1)))
struct HangingPassedFileTests {
    private let calls = Recorder<String>()

    private func daemon(timeout: Duration) async throws -> TestDaemon {
        var limits = VarlinkServer.Limits()
        limits.hangUpTimeout = timeout
        return try await TestDaemon(limits: limits) { [calls] call, _ in
            switch call {
            case .createUpload(let create, let reply):
                calls.append("upload \(create.identifier) \(reply.takeFile() != nil)")
            case .getTask(let get, _):
                calls.append("get \(get.id)")
            default: break
            }
        }
    }

    /// A client passes a file that does not answer, makes another call and is gone.
    private func pass(_ disk: HangingDisk, to daemon: TestDaemon) async throws {
        let descriptor = try systemCall("open") { open(disk.file, O_RDONLY | O_CLOEXEC) }
        let file = FileDescriptor(owning: descriptor)
        try await disk.hang(.getattr)
        let create = Wire.CreateUpload(
            session: 5,
            identifier: 3,
            request: Samples.request,
            path: disk.file,
            priority: 0.5
        )
        let client = try daemon.connect()
        let message = try MessageCoding.message(calling: create)
        _ = try message.withUnsafeBytes {
            try SocketMessage.send(
                $0,
                descriptors: [file.rawValue],
                over: client.descriptor
            )
        }
        try client.call("GetTask", #"{"id":7}"#)
        try await disk.waitUntilHanging(.getattr)
        client.disconnect()
    }

    @Test
    func
        `REL-1: a client is known to be gone while its file does not answer, and its calls are carried out then`()
        async throws
    {
        let disk = try await HangingDisk(byteCount: 10)
        let daemon = try await daemon(timeout: .seconds(600))
        try await pass(disk, to: daemon)
        await daemon.waitUntilHungUp()
        #expect(calls.elements == [])
        #expect(daemon.closed.elements == [])
        try await disk.proceed()
        await daemon.waitUntilClosed()
        #expect(calls.elements == ["upload 3 true", "get 7"])
        #expect(daemon.closed.elements == [.closedByPeer])
    }

    @Test
    func
        `REL-1: calls of a client that is gone are given up when its file does not answer for long`()
        async throws
    {
        let disk = try await HangingDisk(byteCount: 10)
        let daemon = try await daemon(timeout: .milliseconds(20))
        try await pass(disk, to: daemon)
        await daemon.waitUntilClosed()
        #expect(daemon.closed.elements == [.fileDoesNotAnswer])
        try await disk.proceed()
        #expect(calls.elements == [])
    }
}

/// A socket that another process listens on as well, as systemd does.
@Suite(.timeLimit(.minutes(1))) struct SharedSocketTests {
    @Test func `who waits on a shared socket when the server stops is served by the next one`()
        async throws
    {
        let daemon = try await TestDaemon()
        let place = daemon.place.directory
        let early = try await LoopActor.run {
            let shared = try UnixSocket.listen("shared", in: place)
            try daemon.server?.listen(on: shared.duplicate(), isShared: true)
            // The loop is busy here, so that the connection waits in the kernel.
            let early = RawConnection(try UnixSocket.connect("shared", in: place))
            daemon.server?.stopListeningAndDrain()
            #expect(daemon.server?.connectionCount == 0)
            try daemon.server?.listen(on: shared, isShared: true)
            return early
        }
        try early.call("GetStatus")
        #expect(try early.receive()?["parameters"]?["status"] != nil)
        #expect(daemon.opened.elements.count == 1)
    }
}
