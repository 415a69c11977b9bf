import Ferry
import FerryTestSupport
import Foundation

// Started in a network of its own, in which there is nothing but a loopback interface that is down. Asks for
// something by an address that this network gets later, and prints what its delegate is told.

// A network that never comes must not leave this process behind.
alarm(40)

let server = try FixtureServer(host: "0.0.0.0")
server.on("/song", .content(.text("la")))
let configuration = URLSessionConfiguration.ephemeral
configuration.waitsForConnectivity = true
// Time spent waiting does not count.
configuration.timeoutIntervalForRequest = 20
let session = URLSession(
    configuration: configuration,
    delegate: WaitingDelegate(),
    delegateQueue: nil
)
guard let url = URL(string: "http://192.0.2.1:\(server.port)/song") else { exit(2) }
let kind = CommandLine.arguments.dropFirst().first
let task = kind == "download" ? session.downloadTask(with: url) : session.dataTask(with: url)
task.resume()
RunLoop.main.run()
