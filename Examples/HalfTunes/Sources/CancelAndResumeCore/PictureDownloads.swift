import DesktopCore
import Ferry
import Foundation

/// All that the app consists of, below its window: pictures, each with a download that can be cancelled
/// and resumed.
@MainActor
package final class PictureDownloads {
    /// By which ferryd, the desktop and the bus know the app.
    nonisolated package static let identifier = "io.ferry.CancelAndResume"
    /// The name of the background session, which has what was handed over.
    nonisolated package static let sessionIdentifier = "handed-over"

    package let downloads: [PictureDownload]
    /// Called when a download has changed in any way.
    package var changed: @MainActor (PictureDownload) -> Void = { _ in }
    /// Called when a picture has arrived.
    package var arrived: @MainActor (PictureDownload) -> Void = { _ in }
    /// Called when everything was told that this process was started for.
    package var allWasTold: @MainActor () -> Void = {}

    private let pictures: Folder
    private let stopped: StoppedDownloads
    private let backgroundConfiguration: URLSessionConfiguration
    /// The session of this process; there is none before the first download, and after ``close()``.
    private var foreground: (session: URLSession, events: Task<Void, Never>)?
    /// The session that goes on without this process.
    private(set) lazy var background = makeSession(backgroundConfiguration).session
    /// What hands over at the moment.
    var handingOver: Task<Void, Never>?
    /// Open while this process downloads.
    var backgroundTask = Application.BackgroundTaskIdentifier.invalid

    /// The app of a user.
    ///
    /// - Parameters:
    ///   - environment: The process's environment variables.
    ///   - sessionIdentifier: The name of the background session.
    package init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        sessionIdentifier: String = sessionIdentifier
    ) {
        let directories = UserDirectories(environment: environment)
        pictures = Folder(directories.pictures.appending(component: "Cancel and Resume"))
        stopped = StoppedDownloads(
            file: directories.state.appending(path: "cancel-and-resume/stopped.json")
        )
        backgroundConfiguration = .background(withIdentifier: sessionIdentifier)
        downloads = Picture.all(environment: environment).map(PictureDownload.init)
        for download in downloads {
            download.file = pictures.file(named: download.picture.fileName)
            guard let entry = stopped[download.picture] else { continue }
            download.state = .stopped(resumeData: entry.resumeData)
            download.progress = entry.progress
        }
    }

    /// Finds the downloads again that an earlier launch has handed over.
    package func restore() async {
        for case let task as URLSessionDownloadTask in await background.allTasks {
            guard let download = download(of: task), !download.isBusy,
                task.state == .running || task.state == .suspended
            else { continue }
            // What is in ferryd's hands is more than what was noted before it was.
            stopped[download.picture] = nil
            download.isHandedOver = true
            download.progress = DownloadProgress(task)
            run(task, for: download)
        }
    }

    /// Ends this process's session when its downloads have ended, and returns then.
    ///
    /// A session and its delegate hold each other until the session is invalidated.
    package func close() async {
        guard let (session, events) = foreground else { return }
        foreground = nil
        session.finishTasksAndInvalidate()
        await events.value
    }

    private func foregroundSession() -> URLSession {
        if let foreground { return foreground.session }
        let made = makeSession(.default)
        foreground = made
        return made.session
    }

    private func makeSession(
        _ configuration: URLSessionConfiguration
    ) -> (session: URLSession, events: Task<Void, Never>) {
        let delegate = PictureDelegate(pictures: pictures)
        let session = URLSession(
            configuration: configuration,
            delegate: delegate,
            delegateQueue: nil
        )
        // One task takes the events in order; the stream ends with the session.
        let events = Task { [weak self, events = delegate.events] in
            for await event in events { self?.handle(event) }
        }
        return (session, events)
    }
}

// MARK: - What a person does

extension PictureDownloads {
    /// Begins to download a picture, also if it is there.
    package func start(_ download: PictureDownload) {
        guard case .idle = download.state else { return }
        download.progress = nil
        run(foregroundSession().downloadTask(with: download.picture.url), for: download)
    }

    /// Ends a download so that it can be resumed.
    package func cancel(_ download: PictureDownload) {
        guard case .running(let task) = download.state else { return }
        _ = stop(task, of: download)
    }

    /// Goes on with a download where it was.
    package func resume(_ download: PictureDownload) {
        guard case .stopped(let resumeData) = download.state else { return }
        // Resume data can be used once: it stands for a file, which the task takes over.
        stopped[download.picture] = nil
        run(foregroundSession().downloadTask(withResumeData: resumeData), for: download)
    }

    /// Cancels a task, whose resume data is on the disk when what is returned is done.
    func stop(
        _ task: URLSessionDownloadTask,
        of download: PictureDownload
    ) -> Task<Void, Never> {
        let stop = Task {
            let resumeData = await task.cancelByProducingResumeData()
            hasStopped(download, resumeData: resumeData)
        }
        download.state = .stopping(stop)
        changed(download)
        return stop
    }

    /// Forgets what would be needed to resume a download in this process.
    func forgetStopped(_ download: PictureDownload) {
        stopped[download.picture] = nil
    }

    func run(_ task: URLSessionDownloadTask, for download: PictureDownload) {
        download.failure = nil
        download.state = .running(task)
        task.resume()
        guardDownloads()
        changed(download)
    }

    private func hasStopped(_ download: PictureDownload, resumeData: Data?) {
        download.isHandedOver = false
        if let resumeData {
            download.state = .stopped(resumeData: resumeData)
            stopped[download.picture] = .init(resumeData: resumeData, progress: download.progress)
        } else {
            download.state = .idle
            download.progress = nil
        }
        guardDownloads()
        changed(download)
    }
}

// MARK: - What the sessions tell

extension PictureDownloads {
    private func handle(_ event: PictureEvent) {
        switch event {
        case .progressed(let task, let progress):
            guard let download = download(of: task), download.isRunning(task) else { return }
            download.progress = progress
            changed(download)
        case .arrived(let task, let file):
            // Also when it was cancelled just then: the file is there.
            guard let download = download(of: task) else { return }
            download.file = file
            if download.isRunning(task) { hasStopped(download, resumeData: nil) }
            if case .stopped = download.state {
                forgetStopped(download)
                hasStopped(download, resumeData: nil)
            }
            changed(download)
            arrived(download)
        case .failed(let task, let reason, let resumeData):
            guard let download = download(of: task), isCurrent(task, of: download) else { return }
            download.failure = reason
            hasStopped(download, resumeData: resumeData)
        case .allWasTold:
            allWasTold()
        }
    }

    /// Whether a task is what a download waits for; one of an earlier launch may have ended before anybody
    /// has looked for it.
    private func isCurrent(_ task: URLSessionTask, of download: PictureDownload) -> Bool {
        if case .idle = download.state { true } else { download.isRunning(task) }
    }

    private func download(of task: URLSessionTask) -> PictureDownload? {
        downloads.first { $0.picture.url == task.originalRequest?.url }
    }
}

/// What a picture's row shows.
package struct PictureRow: Hashable, Sendable {
    package var startTitle: String?
    package var showsCancel = false
    package var showsResume = false
    /// From 0 to 1; nil without a progress bar.
    package var fraction: Double?
    package var text: String
}

extension PictureRow {
    /// What a row shows of a download.
    @MainActor
    package init(_ download: PictureDownload) {
        let fraction = download.progress?.fraction ?? 0
        let text = download.progress?.text
        switch download.state {
        case .idle where download.file == nil:
            self.init(
                startTitle: localized("Start"),
                text: download.failure ?? localized("Not downloaded")
            )
        case .idle:
            self.init(
                startTitle: localized("Start Again"),
                text: download.failure ?? localized("Downloaded")
            )
        case .running:
            let text = text ?? localized("Downloading...")
            self.init(showsCancel: true, fraction: fraction, text: text)
        case .stopping:
            self.init(fraction: fraction, text: text ?? localized("Cancelled"))
        case .stopped:
            let cancelled = text.map { localized("Cancelled at %1$@", $0) }
            self.init(
                showsResume: true,
                fraction: fraction,
                text: download.failure ?? cancelled ?? localized("Cancelled")
            )
        }
    }
}
