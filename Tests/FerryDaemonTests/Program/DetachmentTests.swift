import FerrySystem
import Glibc
import Testing

@testable import FerryDaemon

/// How a process in the background tells the one that has started it what has come of it.
@Suite(.timeLimit(.minutes(1))) struct DetachmentTests {
    @Test func `who waits for the start is told once, and no other program gets the channel`()
        async
    {
        // The environment is that of a process.
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            try systemCall("pipe") { pipe(&ends) }
            ProcessEnvironment.set("FERRY_READY_FD", "\(ends[1])")
            let readiness = Detachment.Readiness.inherited()
            #expect(ProcessEnvironment["FERRY_READY_FD"] == nil)
            #expect(fcntl(ends[1], F_GETFD) == FD_CLOEXEC)
            let hasTold = readiness.failed("no room")
            #expect(hasTold)
            let reading = FileDescriptor(owning: ends[0])
            let message = try reading.readToEnd(limit: 99)
            #expect(message == Array("no room".utf8))
            // By that name, a program that takes this one's place would close another descriptor.
            let hasToldAgain = Detachment.Readiness.inherited().failed("no room")
            #expect(!hasToldAgain)
        }
    }
}
