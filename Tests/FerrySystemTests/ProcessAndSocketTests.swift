import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(1))) struct ProcessAndSocketTests {
    private let temporary: TemporaryDirectory
    private var directory: Directory { temporary.directory }

    init() throws { temporary = try TemporaryDirectory() }

    @Test func `a child gets the environment, directory and descriptors it is given, no others`()
        async throws
    {
        let output = try directory.open("output", .create)
        let stray = open("/dev/null", O_RDONLY)
        defer { close(stray) }
        let exit = try await run(
            ProcessLaunch(
                executable: "/bin/sh",
                arguments: [
                    "-c", "echo $FERRY_TEST; pwd; ls -l /proc/self/fd | grep -c null; exit 3",
                ],
                environment: ["FERRY_TEST": "yes", "PATH": "/usr/bin:/bin"],
                directory: directory.path,
                descriptors: [output.rawValue: 1]
            )
        )
        #expect(exit == .exited(status: 3))
        let text = String(
            decoding: try directory.open("output", .read).readToEnd(limit: 1000),
            as: UTF8.self
        )
        // Standard input and error are the null device; the stray descriptor is not inherited.
        #expect(text == "yes\n\(directory.path)\n2\n")
    }

    @Test func `two descriptors may swap their numbers`() async throws {
        let first = try directory.open("first", .create)
        let second = try directory.open("second", .create)
        let one = fcntl(first.rawValue, F_DUPFD_CLOEXEC, 40)
        let two = fcntl(second.rawValue, F_DUPFD_CLOEXEC, 41)
        defer {
            close(one)
            close(two)
        }
        _ = try await run(
            ProcessLaunch(
                executable: "/bin/bash",
                arguments: ["-c", "echo a >&\(one); echo b >&\(two)"],
                descriptors: [one: two, two: one]
            )
        )
        #expect(try directory.open("first", .read).readToEnd(limit: 9) == Array("b\n".utf8))
        #expect(try directory.open("second", .read).readToEnd(limit: 9) == Array("a\n".utf8))
    }

    @Test func `a killed child is reported with its signal`() async throws {
        let exit: ProcessExit = try await withCheckedThrowingContinuation { continuation in
            LoopActor.perform {
                do {
                    let child = try ChildProcess(
                        ProcessLaunch(executable: "/bin/sleep", arguments: ["60"])
                    ) { continuation.resume(returning: $0) }
                    child.signal(SIGKILL)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(exit == .signalled(SIGKILL))
    }

    @Test func `a program that is not there is an error that names it`() {
        let error = #expect(throws: SystemCallError.self) {
            _ = try ProcessLaunch(executable: "/no/such/program").start()
        }
        #expect(error?.errno == ENOENT)
        #expect(error?.description.contains("/no/such/program") == true)
    }

    @Test(arguments: [-1, 0, 1])
    func `a path that just fits into an address, or just does not, is no other`(
        surplus: Int
    ) throws {
        let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        let free = capacity + surplus - directory.path.utf8.count - "//socket".utf8.count
        let place = try Directory(
            opening: directory.path + "/" + String(repeating: "d", count: free),
            creatingPrivate: true
        )
        #expect(place.path(of: "socket").utf8.count == capacity + surplus)
        let listener = try UnixSocket.listen("socket", in: place)
        _ = try UnixSocket.connect("socket", in: place)
        #expect(try UnixSocket.accept(from: listener) != nil)
    }

    @Test(arguments: [8, 150]) func `sockets listen and connect at paths of any length`(
        length: Int
    )
        throws
    {
        let long = try Directory(
            opening: directory.path + "/" + String(repeating: "d", count: length),
            creatingPrivate: true
        )
        let listener = try UnixSocket.listen("socket", in: long)
        #expect(try long.status(of: "socket")?.permissions == 0o600)
        let client = try UnixSocket.connect("socket", in: long)
        guard let server = try UnixSocket.accept(from: listener) else {
            Issue.record("no connection")
            return
        }
        #expect(try UnixSocket.accept(from: listener) == nil)
        let peer = try PeerCredentials(of: server.rawValue)
        #expect(peer.processIdentifier == getpid())
        #expect(peer.userIdentifier == geteuid())
        _ = consume client
    }

    @Test func `descriptors travel with bytes and are closed on exec`() throws {
        let file = try directory.open("passed", .create)
        let raw = file.rawValue
        try UnixSocket.pair().split { first, second in
            let sent = try Array("hello".utf8).withUnsafeBytes {
                try SocketMessage.send($0, descriptors: [raw], over: first.rawValue)
            }
            #expect(sent == 5)
            var buffer = [UInt8](repeating: 0, count: 64)
            let received = try buffer.withUnsafeMutableBytes {
                try SocketMessage.receive(into: $0, from: second.rawValue)
            }
            let message = try #require(received)
            #expect(message.byteCount == 5)
            let copy = try #require(message.descriptors.first)
            #expect(copy != raw)
            #expect(fcntl(copy, F_GETFD) == FD_CLOEXEC)
            close(copy)
        }
    }

    @Test func `a peer that has gone is an error and no signal`() throws {
        try UnixSocket.pair().split { first, second in
            try second.close()
            let error = #expect(throws: SystemCallError.self) {
                _ = try Array("x".utf8).withUnsafeBytes {
                    try SocketMessage.send($0, over: first.rawValue)
                }
            }
            #expect(error?.errno == EPIPE)
        }
    }

    @Test func `the state of a process is told whatever its name`() throws {
        // The name stands between parentheses, and may have some itself.
        let name = "x) T (y"
        let program = try FileDescriptor(
            owning: systemCall("open") { open("/bin/sleep", O_RDONLY | O_CLOEXEC) }
        )
        let content = try program.readToEnd(limit: 16 << 20)
        try temporary.write(content, to: name)
        chmod(directory.path(of: name), 0o700)
        let process = try ProcessLaunch(
            executable: directory.path(of: name),
            arguments: ["1000"],
            environment: [:],
            directory: "/"
        ).start()
        defer {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        #expect(!ProcessCondition.isStopped(process))
        kill(process, SIGSTOP)
        var status: Int32 = 0
        #expect(waitpid(process, &status, WUNTRACED) == process)
        #expect(ProcessCondition.isStopped(process))
    }

    private func run(_ launch: ProcessLaunch) async throws -> ProcessExit {
        try await withCheckedThrowingContinuation { continuation in
            LoopActor.perform {
                do {
                    _ = try ChildProcess(launch) { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
