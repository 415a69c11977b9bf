package import DesktopCore
import Ferry
package import Foundation

/// All that the app consists of, below its window: one large picture, downloaded in the background.
@MainActor
package final class PictureTransfer {
    /// By which ferryd, the desktop and the bus know the app.
    nonisolated package static let identifier = "io.ferry.BackgroundTransfer"
    /// The environment variable that tells where another picture is.
    nonisolated package static let addressVariable = "BACKGROUND_TRANSFER_PICTURE"
    /// The name of the session, by which a later launch finds its task.
    nonisolated package static let sessionIdentifier = "picture"
    private static let earth =
        "https://upload.wikimedia.org/wikipedia/commons/9/97/The_Earth_seen_from_Apollo_17.jpg"

    package private(set) var state = PictureState.unknown
    /// Called when the state has changed, and when another picture has come under the same name.
    package var changed: @MainActor () -> Void = {}
    /// Called when everything was told that this process was started for.
    package var allWasTold: @MainActor () -> Void = {}

    private let session: URLSession
    private let pictures: Folder
    private let address: URL?
    private var task: URLSessionDownloadTask?

    /// The app of a user.
    ///
    /// - Parameters:
    ///   - environment: The process's environment variables.
    ///   - sessionIdentifier: The name of the session.
    package init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        sessionIdentifier: String = sessionIdentifier
    ) {
        let directories = UserDirectories(environment: environment)
        pictures = Folder(directories.pictures.appending(component: "Background Transfer"))
        address = URL(string: environment[Self.addressVariable] ?? Self.earth)
        let log = TransferLog(
            file: directories.state.appending(path: "background-transfer/transfers.log")
        )
        let delegate = PictureDelegate(pictures: pictures, log: log)
        let configuration = URLSessionConfiguration.background(withIdentifier: sessionIdentifier)
        configuration.allowsCellularAccess = true
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        // One task takes the events in order; the stream ends with the session.
        Task { [weak self, events = delegate.events] in
            for await event in events { self?.handle(event) }
        }
    }

    /// Goes on with the download of an earlier launch, shows the picture that is there, or downloads it.
    package func begin() async {
        let task = await session.allTasks.compactMap { $0 as? URLSessionDownloadTask }.last
        // What has ended since the earlier launch has been told by now.
        guard state == .unknown else { return }
        if let task {
            self.task = task
            show(.downloading(DownloadProgress(task)))
            // One that was made and not resumed when the app was killed.
            if task.state == .suspended { task.resume() }
        } else if let file = address.flatMap({ pictures.file(named: FileName.of($0)) }) {
            show(.here(file))
        } else {
            download()
        }
    }

    /// Downloads the picture, also if it is there, unless that is under way.
    package func download() {
        if case .downloading = state { return }
        guard let address else {
            return show(.failed(localized("The address of the picture cannot be read.")))
        }
        let task = session.downloadTask(with: address)
        self.task = task
        show(.downloading(nil))
        task.resume()
    }

    private func handle(_ event: PictureEvent) {
        switch event {
        case .progressed(let taskIdentifier, let progress):
            if concerns(taskIdentifier) { show(.downloading(progress)) }
        case .arrived(let file):
            task = nil
            show(.here(file))
        case .failed(let taskIdentifier, let reason):
            guard concerns(taskIdentifier) else { return }
            task = nil
            show(.failed(reason))
        case .allWasTold:
            allWasTold()
        }
    }

    /// Whether a task is the present one; a task of an earlier launch is, until another one is made.
    private func concerns(_ taskIdentifier: Int) -> Bool {
        task == nil || task?.taskIdentifier == taskIdentifier
    }

    private func show(_ state: PictureState) {
        self.state = state
        changed()
    }
}

/// What the session's delegate has learnt.
enum PictureEvent: Sendable {
    case progressed(taskIdentifier: Int, DownloadProgress)
    /// The picture is in this file.
    case arrived(URL)
    /// The task has ended without a picture, for this reason.
    case failed(taskIdentifier: Int, String)
    /// Everything that this process was started for has been told.
    case allWasTold
}

/// How things are with the picture.
package enum PictureState: Hashable, Sendable {
    /// Nobody has looked yet.
    case unknown
    /// It is under way; nil before the first figures.
    case downloading(DownloadProgress?)
    /// It is in this file.
    case here(URL)
    /// It did not come, for a reason that is told to people.
    case failed(String)
}
