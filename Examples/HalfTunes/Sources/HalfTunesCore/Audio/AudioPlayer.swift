package import Foundation

/// What plays a file.
@MainActor
package protocol AudioPlayer: AnyObject {
    /// Called when the file has ended.
    var ended: @MainActor () -> Void { get set }
    /// Called when the file cannot be played, with the reason in words.
    var failed: @MainActor (String) -> Void { get set }
    /// How far it has come; nil before it knows.
    var position: Duration? { get }
    /// How long the file is; nil before it knows.
    var duration: Duration? { get }

    /// Opens a file in place of the one before, and plays it.
    func play(_ file: URL)
    /// Stops until it goes on.
    func pause()
    /// Goes on after a pause.
    func proceed()
    /// Goes to a place in the file.
    func seek(to position: Duration)
}
