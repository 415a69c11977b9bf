import CAdwaita
import CToolkit
import DesktopCore
import Foundation
import HalfTunesCore
import Toolkit

/// The song that is played, with its position.
@MainActor
final class PlayerBar {
    private let layout: Layout
    private let playback: Playback
    /// Whether the scale is moved by the playback and not by a person.
    private var isFollowing = false

    init(in layout: Layout, playback: Playback) {
        self.layout = layout
        self.playback = playback
        gtk_range_set_range(scale, 0, 1)
        connect(layout.object("seek"), "value-changed") { [weak self] in self?.seek() }
        playback.changed = { [weak self] in self?.show() }
        show()
    }

    private var scale: UnsafeMutablePointer<GtkRange> {
        layout.object("seek").assumingMemoryBound(to: GtkRange.self)
    }

    private func show() {
        gtk_revealer_set_reveal_child(layout.opaque("player"), playback.track == nil ? 0 : 1)
        gtk_label_set_label(layout.opaque("playing_title"), playback.track?.title ?? "")
        showButton()
        let (position, duration) = (playback.position, playback.duration)
        let text = "\(Texts.time(position)) / \(Texts.time(duration))"
        gtk_label_set_label(layout.opaque("position"), text)
        isFollowing = true
        gtk_range_set_range(scale, 0, max(0.1, duration / .seconds(1)))
        gtk_range_set_value(scale, position / .seconds(1))
        isFollowing = false
    }

    private func showButton() {
        let icon =
            playback.isPlaying ? "media-playback-pause-symbolic" : "media-playback-start-symbolic"
        let name = playback.isPlaying ? localized("Pause song") : localized("Play song")
        let button = layout.object("play_pause").assumingMemoryBound(to: GtkButton.self)
        gtk_button_set_icon_name(button, icon)
        gtk_widget_set_tooltip_text(layout.widget("play_pause"), name)
        CToolkit_set_accessible_label(layout.widget("play_pause"), name)
    }

    private func seek() {
        guard !isFollowing else { return }
        playback.seek(to: .seconds(gtk_range_get_value(scale)))
    }
}
