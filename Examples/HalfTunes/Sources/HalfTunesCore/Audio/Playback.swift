package import Foundation

/// What is played, and how far it has come.
@MainActor
package final class Playback {
    /// nil when nothing was played yet.
    package private(set) var track: Track?
    package private(set) var isPlaying = false
    package private(set) var position = Duration.zero
    package private(set) var duration = Duration.zero
    /// Called after each change.
    package var changed: @MainActor () -> Void = {}
    /// Called when a track begins or ceases to be the one that is played, or is paused.
    package var moved: @MainActor (Track) -> Void = { _ in }
    /// Called when a track cannot be played, with the reason in words.
    package var failed: @MainActor (Track, String) -> Void = { _, _ in }

    private let player: any AudioPlayer
    private let clock: any Clock<Duration>
    private var ticks: Task<Void, Never>?

    /// Playback by a player.
    ///
    /// - Parameters:
    ///   - player: What plays.
    ///   - clock: Says when the position is looked at, which players do not tell on their own.
    package init(player: any AudioPlayer, clock: any Clock<Duration> = ContinuousClock()) {
        self.player = player
        self.clock = clock
        player.ended = { [weak self] in self?.hasEnded() }
        player.failed = { [weak self] reason in self?.hasFailed(reason) }
    }

    /// Plays a track from its beginning.
    package func play(_ track: Track, file: URL) {
        let previous = self.track
        self.track = track
        if let previous { moved(previous) }
        (position, duration) = (.zero, .zero)
        player.play(file)
        // A player that cannot even begin has said so by now.
        if self.track != nil { setPlaying(true) }
    }

    /// Pauses, or goes on; from the beginning if the end was reached.
    package func toggle() {
        guard track != nil else { return }
        if isPlaying { player.pause() } else { player.proceed() }
        setPlaying(!isPlaying)
    }

    /// Goes to a place in the track.
    package func seek(to place: Duration) {
        guard track != nil else { return }
        position = place
        player.seek(to: place)
        changed()
    }

    /// Ends the playback of a track, as one whose file is removed.
    package func stop(_ track: Track) {
        guard self.track == track else { return }
        player.pause()
        self.track = nil
        setPlaying(false)
        moved(track)
    }

    private func setPlaying(_ isPlaying: Bool) {
        self.isPlaying = isPlaying
        ticks?.cancel()
        ticks =
            isPlaying
            ? Task { [weak self, clock] in
                while (try? await clock.sleep(for: .milliseconds(250))) != nil {
                    self?.look()
                }
            } : nil
        changed()
        if let track { moved(track) }
    }

    private func look() {
        guard !Task.isCancelled else { return }
        position = player.position ?? position
        duration = player.duration ?? duration
        changed()
    }

    private func hasEnded() {
        duration = player.duration ?? duration
        player.pause()
        player.seek(to: .zero)
        position = .zero
        setPlaying(false)
    }

    private func hasFailed(_ reason: String) {
        guard let track else { return }
        self.track = nil
        setPlaying(false)
        moved(track)
        failed(track, reason)
    }
}
