import FerrySystem
import Glibc

// Prints which conditions of the given kinds the machine is in, as a number, now and when that changes.
//
// conditions-probe KINDS...: each of the kinds, as a number, has an observer.

/// Keeps the observations, which last as long as the process.
@LoopActor
enum Observations {
    static var all: [ConditionsObservation] = []
}

@Sendable func say(_ text: String) {
    let line = text + "\n"
    write(STDOUT_FILENO, line, line.utf8.count)
}

// What a test does not end must not stay behind.
alarm(100)

let kinds = CommandLine.arguments.dropFirst().compactMap { Int64($0) }
LoopActor.perform {
    for kind in kinds {
        let observation = ConditionsMonitor.shared.observe(Conditions(rawValue: kind)) {
            say("conditions \($0.map { "\($0.rawValue)" } ?? "unknown")")
        }
        Observations.all.append(observation)
    }
    say("ready")
}
while true { pause() }
