import Foundation
import HalfTunesCore

/// Writes down what it is asked to do.
@MainActor
final class SilentPlayer: AudioPlayer {
    var ended: @MainActor () -> Void = {}
    var failed: @MainActor (String) -> Void = { _ in }
    var position: Duration?
    var duration: Duration?
    private(set) var calls: [String] = []

    func play(_ file: URL) { calls.append("play \(file.lastPathComponent)") }
    func pause() { calls.append("pause") }
    func proceed() { calls.append("go on") }
    func seek(to position: Duration) { calls.append("seek \(position.components.seconds)") }
}
