import FerrySystem
import FerryWire
import Glibc

/// The program ferryd.
package enum DaemonProgram {
    /// The source of the signals that end the process before it serves: it may wait long for a lock.
    @LoopActor static var startSignals: SignalSource?

    /// Runs the program; does not return.
    ///
    /// - Parameter arguments: The command line, the program's name first.
    package static func run(_ arguments: [String]) -> Never {
        // First, while there is only one thread: all others inherit the mask.
        SignalSource.block([SIGTERM, SIGINT, SIGHUP])
        signal(SIGPIPE, SIG_IGN)
        // Which program starts it first is chance; what a service manager or a person has set is meant.
        let isStartedByClient = ListeningSockets.Counts(ProcessEnvironment.current).fromClient > 0
        if isStartedByClient { ProcessAttributes.resetInherited() }
        // libcurl would write the keys of all applications' connections there.
        ProcessEnvironment.remove("SSLKEYLOGFILE")
        // A limit on the size of files fails one transfer, not the daemon.
        signal(SIGXFSZ, SIG_IGN)
        // Each transfer and each client needs a descriptor, and files are private to their user.
        var attributes = ProcessAttributes.replace(fileModeMask: 0o077)
        // For applications that have not said what theirs is: another one's must not open their files to others.
        if isStartedByClient { attributes.fileModeMask |= 0o022 }
        do throws(DaemonFailure) {
            var options = try DaemonOptions.parse(Array(arguments.dropFirst()))
            options.applicationAttributes = attributes
            options.shares = DescriptorShares(limit: ProcessAttributes.currentDescriptorLimit)
            options.policy = options.shares.applied(to: options.policy)
            switch options.action {
            case .help:
                write(DaemonOptions.help, to: STDOUT_FILENO)
            case .version:
                write(FerryVersion.line(of: "ferryd") + "\n", to: STDOUT_FILENO)
            case .detach:
                try Detachment.detach(arguments: Array(arguments.dropFirst()), attributes)
            case .serve(let isForeground):
                serve(options, isForeground: isForeground)
            }
            exit(0)
        } catch {
            write("ferryd: \(error.message)\n", to: STDERR_FILENO)
            exit(error.status)
        }
    }

    private static func serve(_ options: DaemonOptions, isForeground: Bool) -> Never {
        let readiness = Detachment.Readiness.inherited()
        do throws(SystemCallError) {
            try EventLoop.start()
        } catch {
            giveUp(.start("the event loop cannot be started: \(error)"), readiness)
        }
        LoopActor.task {
            startSignals = try? SignalSource([SIGTERM, SIGINT]) { signal in
                _ = readiness.failed("signal \(signal.number) has ended it before it served")
                exit(1)
            }
            do throws(DaemonFailure) {
                DaemonService.current = try await DaemonService(
                    options,
                    isForeground: isForeground
                )
                readiness.succeeded()
            } catch {
                giveUp(error, readiness)
            }
        }
        // The loop's thread does everything and ends the process.
        while true { pause() }
    }

    /// Reports to the waiting process why the daemon does not serve, and ends this process.
    private static func giveUp(_ failure: DaemonFailure, _ readiness: Detachment.Readiness) -> Never
    {
        // Systemd waits in another way, and keeps what is written here.
        if !readiness.failed(failure.message) {
            write("ferryd: \(failure.message)\n", to: STDERR_FILENO)
        }
        exit(failure.status)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}

/// Why the daemon cannot serve.
struct DaemonFailure: Error, Hashable, Sendable {
    /// The exit status: 1 it could not start, 2 the command line is wrong.
    var status: Int32
    /// What is wrong, why, and what to do.
    var message: String

    /// The command line is wrong.
    static func usage(_ message: String) -> DaemonFailure {
        DaemonFailure(status: 2, message: message + "; see ferryd --help")
    }

    /// The daemon cannot start.
    static func start(_ message: String) -> DaemonFailure {
        DaemonFailure(status: 1, message: message)
    }
}

/// Notifications to systemd, if it has started the daemon.
///
/// Source: sd_notify(3).
enum ServiceNotification {
    private static let variable = "NOTIFY_SOCKET"

    /// Notifies systemd that clients are served.
    static func ready() {
        guard let path = ProcessEnvironment[variable], !path.isEmpty else { return }
        ProcessEnvironment.remove(variable)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A leading @ stands for the zero byte of an abstract socket.
        let name = path.hasPrefix("@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let message = Array("READY=1".utf8)
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
