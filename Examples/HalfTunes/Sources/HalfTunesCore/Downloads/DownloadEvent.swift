import DesktopCore
import Ferry

/// What the download session's delegate has learnt.
enum DownloadEvent: Sendable {
    case progressed(Track, taskIdentifier: Int, DownloadProgress)
    /// The file is in the library.
    case filed(Track)
    /// The task has ended without a file in the library.
    case failed(Track, taskIdentifier: Int, any Error)
    /// Everything that this process was started for has been told.
    case allWasTold
}
