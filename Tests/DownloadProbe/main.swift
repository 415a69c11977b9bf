import FerryHTTP
import FerrySystem
import FerryTransfer
import FoundationEssentials
import Glibc

// Downloads a URL into a file of a directory, by as many connections as are worth it:
//     download-probe URL DIRECTORY CONNECTIONS [MIRROR…]
// Attempts follow one another as the retry policy says. Used by scripts/lossy-link.

let arguments = CommandLine.arguments
guard arguments.count > 3, let connections = Int(arguments[3]) else {
    print("usage: download-probe URL DIRECTORY CONNECTIONS [MIRROR…]")
    exit(2)
}
LoopActor.perform {
    do {
        try Run(
            url: arguments[1],
            directory: Directory(opening: arguments[2], creatingPrivate: true),
            connections: connections,
            mirrors: Array(arguments[4...])
        ).start()
    } catch {
        print("\(error)")
        exit(1)
    }
}
while true { pause() }
