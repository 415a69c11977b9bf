import Foundation
import Testing

@testable import HalfTunesCore

@Suite(.timeLimit(.minutes(1)))
@MainActor
struct PlaybackTests {
    private let player = SilentPlayer()
    private let playback: Playback
    private let track: Track
    private let file = URL(fileURLWithPath: "/music/a.m4a")

    init() throws {
        playback = Playback(player: player)
        let url = try #require(URL(string: "https://host/a.m4a"))
        track = Track(title: "A", artist: "a", previewURL: url)
    }

    @Test
    func `the position is looked at while it plays`() async {
        (player.position, player.duration) = (.seconds(2), .seconds(30))
        await withCheckedContinuation { continuation in
            playback.changed = { [unowned playback] in
                guard playback.position == .seconds(2) else { return }
                playback.changed = {}
                continuation.resume()
            }
            playback.play(track, file: file)
        }
        #expect(playback.isPlaying)
        #expect(playback.duration == .seconds(30))
        #expect(player.calls == ["play a.m4a"])
    }

    @Test
    func `it pauses, goes on and seeks`() {
        playback.play(track, file: file)
        playback.toggle()
        #expect(!playback.isPlaying)
        playback.seek(to: .seconds(7))
        playback.toggle()
        #expect(playback.isPlaying)
        #expect(playback.position == .seconds(7))
        #expect(player.calls == ["play a.m4a", "pause", "seek 7", "go on"])
    }

    @Test
    func `at the end it waits at the beginning`() {
        playback.play(track, file: file)
        player.ended()
        #expect(!playback.isPlaying)
        #expect(playback.position == .zero)
        #expect(player.calls == ["play a.m4a", "pause", "seek 0"])
    }

    @Test
    func `what cannot be played is told and put away`() {
        var told: [String] = []
        playback.failed = { told.append("\($0.title): \($1)") }
        playback.play(track, file: file)
        player.failed("no sound")
        #expect(told == ["A: no sound"])
        #expect(playback.track == nil)
        #expect(!playback.isPlaying)
    }

    @Test
    func `a track that is stopped is put away, another one stays`() throws {
        playback.play(track, file: file)
        var other = track
        other.previewURL = try #require(URL(string: "https://host/b.m4a"))
        playback.stop(other)
        #expect(playback.isPlaying)
        playback.stop(track)
        #expect(playback.track == nil)
        #expect(!playback.isPlaying)
        #expect(player.calls == ["play a.m4a", "pause"])
    }

    @Test
    func `without a track there is nothing to pause`() {
        playback.toggle()
        playback.seek(to: .seconds(1))
        #expect(player.calls.isEmpty)
    }
}
