import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import Testing

@testable import FerryWire

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
