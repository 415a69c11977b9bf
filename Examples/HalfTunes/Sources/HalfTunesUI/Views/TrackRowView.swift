import CAdwaita
import CToolkit
import DesktopCore
import Foundation
import HalfTunesCore
import Toolkit

/// The row of a track.
@MainActor
final class TrackRowView {
    /// What a person can do with a track.
    struct Actions {
        var download: @MainActor (Track) -> Void
        var pause: @MainActor (Track) -> Void
        var resume: @MainActor (Track) -> Void
        var cancel: @MainActor (Track) -> Void
        var play: @MainActor (Track) -> Void
        var showInFiles: @MainActor (Track) -> Void
        var remove: @MainActor (Track) -> Void
    }

    let track: Track
    private let layout: Layout
    private let isPaused: @MainActor () -> Bool
    private var shown: TrackRow?

    /// A row.
    ///
    /// - Parameters:
    ///   - track: What it is about.
    ///   - actions: What its buttons do.
    ///   - isPaused: Whether its download is paused.
    init(_ track: Track, actions: Actions, isPaused: @escaping @MainActor () -> Bool) {
        self.track = track
        self.isPaused = isPaused
        layout = Layout(PackageResources.row_ui)
        gtk_label_set_label(layout.opaque("title"), track.title)
        gtk_label_set_label(layout.opaque("artist"), track.artist)
        CToolkit_set_accessible_label(
            widget,
            localized("%1$@ by %2$@", track.title, track.artist)
        )
        connectButtons(actions)
    }

    var widget: Widget { layout.widget("row") }

    /// Shows how things are; touches what has changed alone.
    func show(_ row: TrackRow) {
        guard row != shown else { return }
        set("download", isVisible: row.showsDownload)
        set("pause", isVisible: row.pauseTitle != nil)
        set("cancel", isVisible: row.showsCancel)
        set("play", isVisible: row.showsPlay)
        set("more", isVisible: row.showsMore)
        set("failure", isVisible: row.failure != nil)
        set("progress", isVisible: row.fraction != nil)
        set("progress_text", isVisible: row.fraction != nil)
        if let title = row.pauseTitle, title != shown?.pauseTitle {
            showPause(title, isPaused: row.isPaused)
        }
        if row.isPlaying != shown?.isPlaying ?? false { showPlaying(row.isPlaying) }
        if let fraction = row.fraction, fraction != shown?.fraction {
            gtk_progress_bar_set_fraction(layout.opaque("progress"), fraction)
        }
        if let failure = row.failure { gtk_label_set_label(layout.opaque("failure"), failure) }
        if let text = row.progressText, text != shown?.progressText {
            gtk_label_set_label(layout.opaque("progress_text"), text)
        }
        shown = row
    }

    /// Shows the track's picture.
    func show(artwork: OpaquePointer) {
        // In place of the symbol, which is small and pale.
        gtk_image_set_from_paintable(layout.opaque("artwork"), artwork)
        gtk_image_set_pixel_size(layout.opaque("artwork"), 48)
        gtk_widget_remove_css_class(layout.widget("artwork"), "dim-label")
    }

    private func connectButtons(_ actions: Actions) {
        connect(layout.object("download"), "clicked") { [track] in actions.download(track) }
        connect(layout.object("cancel"), "clicked") { [track] in actions.cancel(track) }
        connect(layout.object("play"), "clicked") { [track] in actions.play(track) }
        connect(layout.object("pause"), "clicked") { [track, isPaused] in
            if isPaused() { actions.resume(track) } else { actions.pause(track) }
        }
        layout.add(
            [
                ("show-in-files", { [track] in actions.showInFiles(track) }),
                ("remove", { [track] in actions.remove(track) }),
            ],
            as: "row",
            to: "row"
        )
    }

    /// Marks the row whose song is played.
    private func showPlaying(_ isPlaying: Bool) {
        let icon = isPlaying ? "media-playback-pause-symbolic" : "media-playback-start-symbolic"
        let name = isPlaying ? localized("Pause song") : localized("Play")
        gtk_button_set_icon_name(button("play"), icon)
        gtk_widget_set_tooltip_text(layout.widget("play"), name)
        CToolkit_set_accessible_label(layout.widget("play"), name)
        let title = layout.widget("title")
        if isPlaying {
            gtk_widget_add_css_class(title, "accent")
        } else {
            gtk_widget_remove_css_class(title, "accent")
        }
    }

    private func showPause(_ title: String, isPaused: Bool) {
        let icon = isPaused ? "folder-download-symbolic" : "media-playback-pause-symbolic"
        gtk_button_set_icon_name(button("pause"), icon)
        gtk_widget_set_tooltip_text(layout.widget("pause"), title)
        CToolkit_set_accessible_label(layout.widget("pause"), title)
    }

    private func set(_ name: String, isVisible: Bool) {
        gtk_widget_set_visible(layout.widget(name), isVisible ? 1 : 0)
    }

    private func button(_ name: String) -> UnsafeMutablePointer<GtkButton> {
        layout.object(name).assumingMemoryBound(to: GtkButton.self)
    }
}
