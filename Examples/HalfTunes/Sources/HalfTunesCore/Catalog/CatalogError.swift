package import Foundation

/// Why the catalog has no answer.
package enum CatalogError: Error, Hashable {
    /// This machine has no network.
    case offline
    /// The server answered with another status than 200.
    case refused(status: Int)
    /// What the server sent is no list of songs.
    case unreadable
    /// The server could not be asked; with the reason in words.
    case failed(String)

    package init(_ error: URLError) {
        switch error.code {
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
            self = .offline
        default:
            self = .failed(error.localizedDescription)
        }
    }
}
