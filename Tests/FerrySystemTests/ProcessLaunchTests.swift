import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(1))) struct ProcessLaunchTests {
    private let temporary: TemporaryDirectory
    private var directory: Directory { temporary.directory }

    init() throws { temporary = try TemporaryDirectory() }

    @Test(arguments: [(0o027, 333), (0o002, 444)])
    func `a child gets the mask and the descriptor limit that it is given`(
        mask: Int,
        limit: Int
    ) throws {
        let text = try output(
            of: "/bin/sh",
            ["-c", "umask; ulimit -S -n; ulimit -H -n"],
            attributes: ProcessAttributes(
                fileModeMask: UInt32(mask),
                descriptorLimit: Int64(limit)
            )
        )
        // The hard limit stays: the program may raise its own.
        let octal = String(mask, radix: 8)
        let padding = String(repeating: "0", count: 4 - octal.count)
        #expect(text == "\(padding)\(octal)\n\(limit)\n\(Self.limits().hard)\n")
    }

    @Test func `without attributes a child has those of its parent, which keeps them`() throws {
        let mask = umask(0o031)
        defer { umask(mask) }
        let before = Self.limits()
        let words = ["-c", "umask; ulimit -S -n"]
        let other = ProcessAttributes(fileModeMask: 0o077, descriptorLimit: 99)
        #expect(try output(of: "/bin/sh", words, attributes: other) == "0077\n99\n")
        #expect(Self.limits() == before)
        #expect(try output(of: "/bin/sh", words) == "0031\n\(before.soft)\n")
    }

    @Test func `a limit above the hard one is cut to it`() throws {
        let text = try output(
            of: "/bin/sh",
            ["-c", "ulimit -S -n"],
            attributes: ProcessAttributes(fileModeMask: 0o022, descriptorLimit: .max)
        )
        #expect(text == "\(Self.limits().hard)\n")
    }

    @Test func `no signal is blocked or ignored in a child, whatever its parent does`() throws {
        let numbers = [SIGPIPE, SIGXFSZ, SIGUSR2]
        let handlers = numbers.map { ($0, signal($0, SIG_IGN)) }
        defer { for (number, handler) in handlers { signal(number, handler) } }
        var blocked = sigset_t()
        var before = sigset_t()
        sigemptyset(&blocked)
        for number in [SIGTERM, SIGHUP, SIGUSR1] { sigaddset(&blocked, number) }
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let lines = try output(of: "/bin/grep", ["^Sig[BI]", "/proc/self/status"])
            .split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines { #expect(SignalMask(line)?.signals == [], "\(line)") }
        // The parent's own are as they were.
        var now = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &now)
        #expect(sigismember(&now, SIGUSR1) == 1)
        #expect(sigismember(&now, SIGINT) == sigismember(&before, SIGINT))
    }

    @Test func `a directory that is not there is an error that names it`() {
        let error = #expect(throws: SystemCallError.self) {
            _ = try ProcessLaunch(executable: "/bin/true", directory: "/no/such/place").start()
        }
        #expect(error?.description.hasPrefix("chdir /no/such/place: ") == true)
        #expect(error?.errno == ENOENT)
    }

    @Test func `a program that cannot be run is an error, with many descriptors too`() throws {
        _ = try directory.open("plain", .create)
        let file = try directory.open("file", .create)
        for target in [Int32(1), 3, 9, 40] {
            let error = #expect(throws: SystemCallError.self) {
                _ = try ProcessLaunch(
                    executable: directory.path(of: "plain"),
                    descriptors: [file.rawValue: target]
                ).start()
            }
            #expect(error?.errno == EACCES)
            #expect(error?.call == "execve")
        }
        // Nothing is left of the processes that have failed.
        #expect(waitpid(-1, nil, WNOHANG) <= 0)
    }

    private func output(
        of executable: String,
        _ arguments: [String],
        attributes: ProcessAttributes? = nil
    ) throws -> String {
        let output = try directory.open("output", .create)
        try output.truncate(to: 0)
        let process = try ProcessLaunch(
            executable: executable,
            arguments: arguments,
            descriptors: [output.rawValue: 1],
            attributes: attributes
        ).start()
        #expect(try ProcessExit.wait(for: process) == .exited(status: 0))
        let bytes = try directory.open("output", .read).readToEnd(limit: 4096)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func limits() -> (soft: rlim_t, hard: rlim_t) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return (limit.rlim_cur, limit.rlim_max)
    }
}

/// Signals that ask this process to end.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct EndRequestsTests {
    @Test func `each request is told, also of two that come at once`() async throws {
        let told = Recorder<EndRequests.Signal>()
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
        try EndRequests.shared.take { signal in
            told.append(signal)
            continuation.yield()
        }
        defer { EndRequests.shared.giveBack() }
        await LoopActor.run {
            // The loop, which would tell the first, is here. Its thread takes no signals; where one does, `raise`
            // returns when the handler has, so that the second is not lost in the first.
            var terminate = sigset_t()
            var before = sigset_t()
            sigemptyset(&terminate)
            sigaddset(&terminate, SIGTERM)
            pthread_sigmask(SIG_UNBLOCK, &terminate, &before)
            raise(SIGTERM)
            raise(SIGTERM)
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        var iterator = requests.makeAsyncIterator()
        await iterator.next()
        await LoopActor.run {}
        #expect(told.elements == [.terminate, .terminate])
    }
}

extension LoopActor {
    /// Runs `body` on the loop.
    @LoopActor
    fileprivate static func run(_ body: @LoopActor () -> Void) async { body() }
}
