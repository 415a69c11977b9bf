import DesktopCore

/// What a track's row shows.
package struct TrackRow: Hashable, Sendable {
    package var showsDownload: Bool
    /// The button that pauses and resumes.
    package var pauseTitle: String?
    package var isPaused = false
    package var showsCancel: Bool
    package var showsPlay: Bool
    /// From 0 to 1; nil without a progress bar.
    package var fraction: Double?
    package var progressText: String?
}

extension TrackRow {
    /// What a row shows of a track.
    ///
    /// - Parameters:
    ///   - download: What is under way of it.
    ///   - isDownloaded: Whether the library has it.
    @MainActor
    package init(download: Download?, isDownloaded: Bool) {
        let isActive = download != nil
        showsDownload = !isActive && !isDownloaded
        showsCancel = isActive
        showsPlay = !isActive && isDownloaded
        guard let download else { return }
        isPaused = !download.isDownloading
        pauseTitle = download.isDownloading ? localized("Pause") : localized("Resume")
        fraction = download.progress?.fraction ?? 0
        let state = download.isDownloading ? localized("Downloading...") : localized("Paused")
        progressText = download.progress?.text ?? state
    }
}
