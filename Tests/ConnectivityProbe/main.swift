import FerrySystem
import Glibc

// Runs the commands that are its arguments, and prints what the connectivity is and each change of it.
// After a command that begins with "+" a change is waited for. One that begins with "=" is run on the
// event loop, which hears nothing meanwhile, and then a change is waited for, too.

// A change that does not come must not leave this process behind.
alarm(40)

let changes = Changes()
LoopActor.perform {
    let monitor = ConnectivityMonitor.shared
    _ = monitor.observe { changes.notify($0) }
    changes.notify(monitor.connectivity)
}
changes.wait()
for argument in CommandLine.arguments.dropFirst() {
    let command = argument.drop { $0 == "+" || $0 == "=" }
    if argument.hasPrefix("=") {
        LoopActor.perform { _ = Shell.run(String(command)) }
    } else {
        guard Shell.run(String(command)) else { exit(1) }
    }
    if argument.count > command.count { changes.wait() }
}
