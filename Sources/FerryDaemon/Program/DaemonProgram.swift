import FerrySystem
import Glibc

/// The program ferryd.
package enum DaemonProgram {
    /// Runs the program; does not return.
    ///
    /// - Parameter arguments: The command line, the program's name first.
    package static func run(_ arguments: [String]) -> Never {
        // First of all, while there is one thread: all others inherit it.
        SignalSource.block([SIGTERM, SIGINT, SIGHUP])
        signal(SIGPIPE, SIG_IGN)
        // A limit on the size of files fails one transfer, not the daemon.
        signal(SIGXFSZ, SIG_IGN)
        umask(0o077)
        do throws(DaemonFailure) {
            let options = try DaemonOptions.parse(Array(arguments.dropFirst()))
            switch options.action {
            case .help:
                write(DaemonOptions.help, to: STDOUT_FILENO)
            case .version:
                write("ferryd \(DaemonVersion.current)\n", to: STDOUT_FILENO)
            case .detach:
                try Detachment.detach(arguments: Array(arguments.dropFirst()))
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
        raiseDescriptorLimit()
        let readiness = Detachment.Readiness.inherited()
        LoopActor.task {
            do throws(DaemonFailure) {
                DaemonService.current = try await DaemonService(
                    options,
                    isForeground: isForeground
                )
                readiness.succeeded()
            } catch {
                if isForeground { write("ferryd: \(error.message)\n", to: STDERR_FILENO) }
                readiness.failed(error.message)
                exit(error.status)
            }
        }
        // The loop's thread does everything and ends the process.
        while true { pause() }
    }

    /// Each transfer and each client needs a descriptor; the default of 1024 is for select().
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
