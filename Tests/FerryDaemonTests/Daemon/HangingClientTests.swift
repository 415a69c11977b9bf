import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Glibc
import Testing

@testable import FerryDaemon

@Suite(.enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(1)))
@LoopActor
struct HangingClientTests {
    @Test
    func
        `REL-1: the session of a client that is gone is let go while a file of its does not answer`()
        async throws
    {
        let disk = try await HangingDisk(byteCount: 10)
        let bench = try await DaemonBench()
        let daemon = try await bench.start()
        let information = ServiceInformation(vendor: "", product: "", version: "", url: "")
        let server = VarlinkServer(information: information, handler: daemon)
        let client = try UnixSocket.pair().split { first, second in
            server.accept(first)
            return VarlinkClient(second)
        }
        let reply = try await client.call(Wire.OpenSession.sample())
        #expect(daemon.machine.sessions[reply.session]?.attachment != nil)
        let descriptor = try systemCall("open") { open(disk.file, O_RDONLY | O_CLOEXEC) }
        let file = UserFile(
            FileDescriptor(owning: descriptor),
            on: BlockingQueue(label: "test.file")
        )
        try await disk.hang(.getattr)
        let create = Wire.CreateUpload(
            session: reply.session,
            identifier: 1,
            request: .sample(),
            path: disk.file,
            priority: 0.5
        )
        client.call(create, file: file) { _ in }
        try await disk.waitUntilHanging(.getattr)
        client.close()
        try await bench.work { daemon.machine.sessions[reply.session]?.attachment == nil }
        #expect(server.connectionCount == 1)
        try await disk.goOn()
        try await bench.work { server.connectionCount == 0 }
        await bench.end()
    }
}
