import DesktopCore
package import Ferry
package import Foundation

/// The downloads of tracks, in a background session: they go on while the app is closed.
@MainActor
package final class DownloadService {
    /// The name of the session, by which a later launch finds its tasks.
    package static let sessionIdentifier = "downloads"

    /// What is under way or paused, by preview URL.
    package private(set) var activeDownloads: [URL: Download] = [:]
    /// Why downloads have failed, in words, by preview URL, until they are tried again.
    package private(set) var failures: [URL: String] = [:]
    /// Called when a track's download has changed in any way.
    package var changed: @MainActor (Track) -> Void = { _ in }
    /// Called when a track has arrived in the library.
    package var finished: @MainActor (Track) -> Void = { _ in }
    /// Called when a download has failed, with the reason.
    package var failed: @MainActor (Track, any Error) -> Void = { _, _ in }
    /// Called when everything was told that this process was started for.
    package var allWasTold: @MainActor () -> Void = {}

    private let session: URLSession
    private let paused: PausedDownloads

    /// The downloads of a session.
    ///
    /// - Parameters:
    ///   - configuration: Of the session; of a background session, unless downloads may end with
    ///     the app.
    ///   - library: Takes the files.
    ///   - paused: Keeps the paused downloads for later launches.
    package init(
        configuration: URLSessionConfiguration = .background(withIdentifier: sessionIdentifier),
        library: MusicLibrary,
        paused: PausedDownloads
    ) {
        let delegate = DownloadDelegate(library: library)
        self.paused = paused
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        // One task takes the events in order; the stream ends with the session.
        Task { [weak self, events = delegate.events] in
            for await event in events { self?.handle(event) }
        }
    }

    /// Finds the downloads of earlier launches again.
    package func restore() async {
        for download in paused.all() where activeDownloads[download.track.previewURL] == nil {
            adopt(download)
        }
        for case let task as URLSessionDownloadTask in await session.allTasks {
            adopt(task)
        }
    }

    /// Returns when ferryd has taken note of all that was asked for.
    package func flush() async {
        await withCheckedContinuation { continuation in
            session.flush { continuation.resume() }
        }
    }
}

// MARK: - What a person does

extension DownloadService {
    /// Begins to download a track, unless that is under way.
    package func start(_ track: Track) {
        guard activeDownloads[track.previewURL] == nil else { return }
        let download = Download(track: track)
        activeDownloads[track.previewURL] = download
        failures[track.previewURL] = nil
        run(session.downloadTask(with: track.previewURL), for: download)
    }

    /// Stops a download, which keeps what has arrived.
    package func pause(_ track: Track) {
        guard let download = activeDownloads[track.previewURL], download.isDownloading else {
            return
        }
        download.isDownloading = false
        if let task = download.task {
            download.task = nil
            download.awaitsResumeData = true
            // From now on it is nobody's but the file's, also if the app ends before the resume data comes.
            paused.keep(PausedDownload(track: track, progress: download.progress))
            task.cancel { [weak self] resumeData in
                DispatchQueue.main.async { self?.hasStopped(download, resumeData: resumeData) }
            }
        }
        changed(track)
    }

    /// Goes on with a paused download where it was.
    package func resume(_ track: Track) {
        guard let download = activeDownloads[track.previewURL], !download.isDownloading else {
            return
        }
        download.isDownloading = true
        if !download.awaitsResumeData { proceed(with: download) }
    }

    /// Ends a download, whose bytes are dropped.
    package func cancel(_ track: Track) {
        guard let download = activeDownloads.removeValue(forKey: track.previewURL) else { return }
        download.isDownloading = false
        download.task?.cancel()
        drop(download)
        changed(track)
    }

    private func hasStopped(_ download: Download, resumeData: Data?) {
        download.awaitsResumeData = false
        download.resumeData = resumeData
        let track = download.track
        guard activeDownloads[track.previewURL] === download else { return drop(download) }
        guard !download.isDownloading else { return proceed(with: download) }
        if resumeData == nil { download.progress = nil }
        let progress = download.progress
        paused.keep(PausedDownload(track: track, resumeData: resumeData, progress: progress))
        changed(track)
    }

    private func proceed(with download: Download) {
        if let resumeData = download.resumeData {
            download.resumeData = nil
            run(session.downloadTask(withResumeData: resumeData), for: download)
        } else {
            download.progress = nil
            run(session.downloadTask(with: download.track.previewURL), for: download)
        }
    }

    private func run(_ task: URLSessionDownloadTask, for download: Download) {
        task.describe(download.track)
        download.task = task
        task.resume()
        paused.forget(download.track)
        changed(download.track)
    }

    private func drop(_ download: Download) {
        paused.forget(download.track)
        guard let resumeData = download.resumeData else { return }
        download.resumeData = nil
        // Resume data stands for a file of ferryd's, which goes with a task that is cancelled.
        session.downloadTask(withResumeData: resumeData).cancel()
    }
}

// MARK: - What the session tells

extension DownloadService {
    private func handle(_ event: DownloadEvent) {
        switch event {
        case .progressed(let track, let taskIdentifier, let progress):
            guard let download = running(track, taskIdentifier) else { return }
            download.progress = progress
            changed(track)
        case .filed(let track):
            // Also when it was paused or cancelled just then: the file is there.
            if let download = activeDownloads.removeValue(forKey: track.previewURL) {
                drop(download)
            }
            failures[track.previewURL] = nil
            changed(track)
            finished(track)
        case .failed(let track, let taskIdentifier, let error):
            hasFailed(track, taskIdentifier, error)
        case .allWasTold:
            allWasTold()
        }
    }

    private func hasFailed(_ track: Track, _ taskIdentifier: Int, _ error: any Error) {
        // A task that was given up fails, too.
        let isCancelled = (error as? URLError)?.code == .cancelled
        if !isCancelled { failures[track.previewURL] = error.localizedDescription }
        if let download = running(track, taskIdentifier) {
            activeDownloads[track.previewURL] = nil
            download.isDownloading = false
            download.resumeData = (error as? URLError)?.downloadTaskResumeData
            drop(download)
            changed(track)
        }
        // One of an earlier launch may have failed meanwhile.
        if !isCancelled { failed(track, error) }
    }

    /// The download that a task belongs to; nil when the task was given up, as by a pause.
    private func running(_ track: Track, _ taskIdentifier: Int) -> Download? {
        guard let download = activeDownloads[track.previewURL], let task = download.task else {
            return nil
        }
        return task.taskIdentifier == taskIdentifier ? download : nil
    }
}

// MARK: - Earlier launches

extension DownloadService {
    private func adopt(_ task: URLSessionDownloadTask) {
        guard let track = task.track, task.state == .running || task.state == .suspended else {
            return
        }
        if let known = activeDownloads[track.previewURL], known.task != nil { return }
        let download = Download(track: track)
        download.task = task
        download.progress = DownloadProgress(task)
        activeDownloads[track.previewURL] = download
        // One that was made and not resumed when the app was killed.
        if task.state == .suspended { task.resume() }
        paused.forget(track)
        changed(track)
    }

    private func adopt(_ known: PausedDownload) {
        let download = Download(track: known.track)
        download.isDownloading = false
        download.resumeData = known.resumeData
        download.progress = known.progress
        activeDownloads[known.track.previewURL] = download
        changed(known.track)
    }
}

/// What a track's row shows.
package struct TrackRow: Hashable, Sendable {
    package var showsDownload: Bool
    /// The button that pauses and resumes.
    package var pauseTitle: String?
    package var isPaused = false
    package var showsCancel: Bool
    package var showsPlay: Bool
    /// Whether its song is played now.
    package var isPlaying = false
    /// From 0 to 1; nil without a progress bar.
    package var fraction: Double?
    package var progressText: String?
    /// Whether there is a file, which can be removed.
    package var showsMore: Bool { showsPlay }
    /// Why it was not downloaded.
    package var failure: String?
}

extension TrackRow {
    /// What a row shows of a track.
    ///
    /// - Parameters:
    ///   - download: What is under way of it.
    ///   - isDownloaded: Whether the library has it.
    ///   - isPlaying: Whether its song is played now.
    ///   - failure: Why its last download has failed.
    @MainActor
    package init(
        download: Download?,
        isDownloaded: Bool,
        isPlaying: Bool = false,
        failure: String? = nil
    ) {
        self.isPlaying = isPlaying
        let isActive = download != nil
        showsDownload = !isActive && !isDownloaded
        showsCancel = isActive
        showsPlay = !isActive && isDownloaded
        self.failure = isActive || isDownloaded ? nil : failure
        guard let download else { return }
        isPaused = !download.isDownloading
        pauseTitle = download.isDownloading ? localized("Pause") : localized("Resume")
        fraction = download.progress?.fraction ?? 0
        progressText =
            switch (download.isDownloading, download.progress?.text) {
            case (true, let text): text ?? localized("Downloading...")
            case (false, nil): localized("Paused")
            case (false, let text?): localized("Paused, %1$@", text)
            }
    }
}
