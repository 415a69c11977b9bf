import DesktopCore

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
