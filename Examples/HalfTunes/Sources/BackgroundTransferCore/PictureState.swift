package import DesktopCore
package import Foundation

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
