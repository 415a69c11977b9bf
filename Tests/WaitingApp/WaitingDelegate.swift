import Ferry
import FerrySystem
import Foundation

/// Makes a network when it is told that a task waits for one, and ends the program with the task.
final class WaitingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        print("waiting")
        let commands = [
            "ip link set lo up", "ip link add near type veth peer name far",
            "ip address add 192.0.2.1/24 dev near", "ip link set near up", "ip link set far up",
        ]
        for command in commands { run(command) }
    }

    private func run(_ command: String) {
        // Foundation's own needs a loopback interface that is up.
        let launch = ProcessLaunch(
            executable: "/bin/sh",
            arguments: ["-c", command],
            descriptors: [2: 2]
        )
        guard let process = try? launch.start(),
            (try? ProcessExit.wait(for: process)) == .exited(status: 0)
        else { exit(3) }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        print("file")
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        print(error.map { "\($0)" } ?? "\(status)")
        exit(0)
    }
}
