import FerrySystem
import FerryWire
import Glibc

/// The hand-over from this process to the program that was installed in place of the one that it runs.
///
/// The process stays and becomes the other program (execve(2)): it keeps its number, its user, its control group and
/// its sockets, at which clients wait meanwhile. So a maintainer script has nothing to start, and systemd sees no end.
struct Succession {
    private let program: OwnProgram
    private let attributes: ProcessAttributes?

    /// Returns the hand-over that a signal is for; `nil` if the daemon is to end.
    ///
    /// A service manager means the end, as at the end of a login session: it would wait for it.
    ///
    /// - Parameters:
    ///   - signal: The signal.
    ///   - program: The program of this process.
    ///   - attributes: The attributes that this process was started with.
    init?(
        after signal: SignalSource.Signal,
        from program: OwnProgram,
        _ attributes: ProcessAttributes?
    ) {
        guard signal.number == SIGTERM, !signal.isFromManager, program.isReplaced else {
            return nil
        }
        self.program = program
        self.attributes = attributes
    }

    /// Becomes the other program; returns if that is not possible.
    ///
    /// - Parameters:
    ///   - sockets: The sockets on which it is to listen.
    ///   - children: The processes that this one has started, which stay its children.
    func begin(_ sockets: ListeningSockets, children: [Int32]) {
        var (descriptors, variables) = sockets.passedOn()
        let numbers = ([getpid()] + children).map { "\($0)" }
        variables[Self.childrenVariable] = numbers.joined(separator: " ")
        for standard in STDIN_FILENO...STDERR_FILENO where fcntl(standard, F_GETFD) >= 0 {
            descriptors[standard] = standard
        }
        variables.merge(ProcessEnvironment.current) { first, _ in first }
        try? ProcessLaunch(
            executable: program.path,
            arguments: CommandLine.arguments.dropFirst().filter { $0 != "--detach" },
            environment: variables,
            descriptors: descriptors,
            attributes: attributes
        ).replaceProcess()
    }
}

extension Succession {
    private static let childrenVariable = "FERRY_CHILDREN"

    /// Collects the processes that the program before this one has started, when they end.
    @LoopActor
    static func takeChildren() {
        let numbers = ProcessEnvironment[childrenVariable]?.split(separator: " ") ?? []
        ProcessEnvironment.remove(childrenVariable)
        let processes = numbers.compactMap { Int32($0) }
        // What another process has been told is inherited by all that it starts.
        guard processes.first == getpid() else { return }
        for process in processes.dropFirst() {
            try? ProcessEnd(of: process).whenReached { _ = try? ProcessExit.wait(for: process) }
        }
    }
}

/// The program that this process runs, as it was at its start.
struct OwnProgram: Sendable {
    /// The path that it was started from.
    let path: String

    /// Finds the program.
    init() {
        let link = "/proc/self/exe"
        path = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let base = buffer.baseAddress else { return link }
            let count = readlink(link, base, buffer.count)
            guard count > 0, count < buffer.count else { return link }
            return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// Whether there is another program at its path, which may be run.
    var isReplaced: Bool {
        var own = stat()
        var installed = stat()
        guard stat("/proc/self/exe", &own) == 0, stat(path, &installed) == 0 else { return false }
        let isAnother = own.st_dev != installed.st_dev || own.st_ino != installed.st_ino
        return isAnother && DaemonExecutable.isUsable(path)
    }
}
