#if DEBUG
import FerrySystem
import FerryTestSupport
import FerryWire
import Glibc
import Synchronization
import Testing

@testable import FerryDaemon

/// The daemon with its sockets and its locks, in a process of its own.
@Suite(.timeLimit(.minutes(1))) struct DaemonServiceTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    @Test
    func `a daemon that goes on for a client of the last moment leaves the lock to who starts one`()
        async
    {
        await #expect(processExitsWith: .exitCode(7)) { [path = temporary.path as String] in
            try await Self.serveAtTheLastMoment(in: path)
        }
    }

    @LoopActor
    private static func serveAtTheLastMoment(in path: String) async throws {
        ProcessEnvironment.remove("XDG_RUNTIME_DIR")
        for name in ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
            ProcessEnvironment.set(name, path)
        }
        let locations = SocketLocations()
        let (sockets, connected) = AsyncStream<Int32>.makeStream()
        let (start, end) = (Countdown(1), Countdown(1))
        systemCallObservers.withLock { observers in
            observers[ObjectIdentifier(DaemonService.self)] = { name, subject in
                // It takes the lock when it starts, and then when it has nothing to do and is about to end.
                guard name == "flock", subject.hasSuffix("/start.lock"), !start.take(), end.take(),
                    let socket = try? locations.connect()
                else { return }
                connected.yield(socket.release())
            }
        }
        let options = try DaemonOptions.parse(["--idle-time", "0.05", "--log-level", "error"])
        DaemonService.current = try await DaemonService(options, isForeground: true)
        var iterator = sockets.makeAsyncIterator()
        let socket = try #require(await iterator.next())
        let client = VarlinkClient(FileDescriptor(owning: socket))
        #expect(try await client.call(Wire.GetStatus()).status.pid == getpid())
        let lock = try locations.startLock(waiting: false)
        lock.release()
        // An end by itself would be another one.
        exit(7)
    }
}
#endif
