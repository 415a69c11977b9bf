import DesktopCore
import HalfTunesCore

/// What a notification says of songs that have arrived.
struct NotificationTexts {
    var title: String
    var body: String

    /// nil when there are none.
    init?(_ tracks: [Track]) {
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
