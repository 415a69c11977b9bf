import Ferry
import Foundation

// queue FIRST-URL COUNT GROUP: queues downloads in a background session, waits for each GROUP of them
// until it is durable, and prints the seconds that each group took.
// list: prints how many tasks the session has, the seconds that it took to learn them, and the
// process's peak memory in KiB.

let words = CommandLine.arguments

/// Wants the session's events, and leaves its files where they are.
final class Owner: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}
}

func makeSession() -> URLSession {
    Application.shared.identifier = "org.example.Scale"
    Application.shared.relaunch = nil
    let configuration = URLSessionConfiguration.background(withIdentifier: "scale")
    // A server that does not answer is to keep its tasks for as long as all of this lasts.
    configuration.timeoutIntervalForRequest = 3600
    configuration.httpMaximumConnectionsPerHost = 32
    // Without a delegate nothing is taken, so that what is done waits for its delivery.
    let delegate = words[1] == "queue" ? nil : Owner()
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
}

func seconds(_ duration: Duration) -> String {
    String(format: "%.4f", duration / .seconds(1))
}

func peakMemory() -> String {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return line.filter(\.isNumber)
}

func queue(_ prefix: String, _ count: Int, _ group: Int) async {
    let session = makeSession()
    let clock = ContinuousClock()
    for first in stride(from: 0, to: count, by: group) {
        let urls = (first..<min(first + group, count)).compactMap { URL(string: "\(prefix)\($0)") }
        let start = clock.now
        for url in urls { session.downloadTask(with: url).resume() }
        let made = clock.now
        await session.flush()
        print(seconds(made - start), seconds(clock.now - start))
    }
}

func list() async {
    let session = makeSession()
    let start = ContinuousClock().now
    let count = await session.allTasks.count
    print(count, seconds(ContinuousClock().now - start), peakMemory())
}

switch (words.dropFirst().first, words.count) {
case ("queue", 5):
    await queue(words[2], Int(words[3]) ?? 0, Int(words[4]) ?? 1)
case ("list", 2):
    await list()
default:
    print("Usage: queue-ferry queue FIRST-URL COUNT GROUP | queue-ferry list")
    exit(2)
}
exit(0)
