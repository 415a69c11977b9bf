import DesktopCore
import HalfTunesCore

/// What a page without songs says.
struct StatusTexts {
    var icon: String
    var title: String
    var description: String
    var offersRepetition = false

    init(_ page: SearchPage) {
        switch page {
        case .welcome, .results:
            icon = "folder-music-symbolic"
            title = localized("Find Songs")
            description = localized("Search for a song or an artist, and download previews.")
        case .nothing(let term):
            icon = "system-search-symbolic"
            title = localized("No Songs Found")
            description = localized("Nothing was found for %1$@. Try other words.", term)
        case .offline:
            icon = "network-offline-symbolic"
            title = localized("No Network")
            description = localized(
                "Connect to a network to search. Downloads go on by themselves."
            )
            offersRepetition = true
        case .failed(let reason):
            icon = "dialog-warning-symbolic"
            title = localized("The Search Failed")
            description = reason
            offersRepetition = true
        }
    }
}
