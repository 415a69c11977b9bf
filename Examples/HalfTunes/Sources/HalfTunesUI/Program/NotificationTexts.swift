import DesktopCore
import HalfTunesCore

/// What a notification says of songs that have arrived.
struct NotificationTexts {
    var title: String
    var body: String

    /// nil when there is nothing to say.
    @MainActor
    init?(_ relaunch: Relaunch) {
        let tracks = relaunch.finished
        if let failure = relaunch.failed.first {
            title = localized("Song Not Downloaded")
            body = localized(
                "%1$@ was not downloaded: %2$@",
                failure.track.title,
                failure.reason
            )
            return
        }
        guard let first = tracks.first else { return nil }
        if tracks.count == 1 {
            title = localized("Song Downloaded")
            body = localized("%1$@ by %2$@", first.title, first.artist)
        } else {
            title = localized("Songs Downloaded")
            body = tracks.map(\.title).joined(separator: ", ")
        }
    }
}
