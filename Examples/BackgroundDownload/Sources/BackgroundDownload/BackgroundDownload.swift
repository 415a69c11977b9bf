import Ferry
import Foundation
import Synchronization

/// An app that downloads one file in a background session: `BackgroundDownload URL DIRECTORY`.
///
/// Kill it while it runs. ferryd finishes the download and starts it again with the same arguments;
/// then it moves the file to the directory. What it says is also appended to `DIRECTORY/app.log`.
@main
final class BackgroundDownload: NSObject, URLSessionDownloadDelegate {
    private static let usage = "Usage: BackgroundDownload URL DIRECTORY"
    private let url: URL
    let directory: URL
    private let (ends, end) = AsyncStream.makeStream(of: Void.self)
    private let completionHandler = Mutex<(@Sendable () -> Void)?>(nil)

    init(url: URL, directory: URL) {
        self.url = url
        self.directory = directory
    }

    static func main() async {
        let words = CommandLine.arguments
        guard words.count == 3, let url = URL(string: words[1]) else { return print(usage) }
        let app = BackgroundDownload(url: url, directory: URL(fileURLWithPath: words[2]))
        Application.shared.identifier = "org.example.BackgroundDownload"
        Application.shared.delegate = app
        switch Application.shared.launchReason {
        case .user:
            await app.download()
        case .backgroundURLSession(let identifier):
            app.say("ferryd has started me for the events of my session '\(identifier)'")
            await Application.shared.runUntilBackgroundEventsAreHandled()
        }
    }

    /// Starts the download, or finds the one of an earlier launch, and waits for its end.
    private func download() async {
        let session = openSession("download")
        if await session.allTasks.isEmpty {
            session.downloadTask(with: url).resume()
            say("I download \(url.absoluteString)")
        }
        for await _ in ends { break }
    }

    private func openSession(_ name: String) -> URLSession {
        let configuration = URLSessionConfiguration.background(withIdentifier: name)
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        let total = max(totalBytesExpectedToWrite, totalBytesWritten, 1)
        let bar = String(repeating: "#", count: Int(40 * totalBytesWritten / total))
            .padding(toLength: 40, withPad: "-", startingAt: 0)
        print("\r  [\(bar)] \(totalBytesWritten >> 20) of \(total >> 20) MiB", terminator: "")
        fflush(nil)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        // The file is here only until this method returns.
        let target = directory.appendingPathComponent(url.lastPathComponent)
        do {
            try FileManager.default.moveItem(at: location, to: target)
            say("I have moved the file to \(target.path)")
            say("SHA-256 \(try digest(of: target))")
        } catch {
            say("I could not take the file: \(error)")
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        say(error.map { "the download failed: \($0)" } ?? "the download is complete, \(status)")
        if Application.shared.launchReason == .user { session.finishTasksAndInvalidate() }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        end.yield()
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let handler = completionHandler.withLock { $0.take() }
        DispatchQueue.main.async { handler?() }
    }
}

extension BackgroundDownload: ApplicationDelegate {
    func application(
        _ application: Application,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        self.completionHandler.withLock { $0 = completionHandler }
        _ = openSession(identifier)
    }
}
