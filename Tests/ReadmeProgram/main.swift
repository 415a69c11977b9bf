import Ferry
import Foundation

final class Downloads: NSObject, URLSessionDownloadDelegate, ApplicationDelegate {
    func urlSession(
        _: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo file: URL
    ) {
        // It is here only until this returns. That of an earlier run is replaced.
        do {
            try? FileManager.default.removeItem(at: target)
            try FileManager.default.moveItem(at: file, to: target)
            print("complete")
        } catch {
            print(error)
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        if let error { print("failed: \(error)") }
        session.finishTasksAndInvalidate()
    }

    func urlSession(_: URLSession, didBecomeInvalidWithError _: (any Error)?) { exit(0) }

    // ferryd has started this program to deliver the file to the session's delegate.
    func application(
        _: Application,
        handleEventsForBackgroundURLSession _: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {}
}

let target = URL(fileURLWithPath: "debian.iso")
let downloads = Downloads()
Application.shared.delegate = downloads
let configuration = URLSessionConfiguration.background(withIdentifier: "downloads")
configuration.transferOptions.deliversErrorResponses = false  // A 404 is an error.
let session = URLSession(configuration: configuration, delegate: downloads, delegateQueue: nil)
session.getAllTasks { tasks in
    // The download of an earlier launch goes on by itself.
    guard tasks.isEmpty, Application.shared.launchReason == .user else { return }
    guard let url = URL(string: CommandLine.arguments.dropFirst().first ?? "") else {
        print("There is no URL to load.")
        exit(2)
    }
    session.downloadTask(with: url).resume()
}
Application.shared.run()
