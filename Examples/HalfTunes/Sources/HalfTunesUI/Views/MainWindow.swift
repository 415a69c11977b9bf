import CAdwaita
import DesktopCore
import Foundation
import HalfTunesCore
import Toolkit

/// The window: the search, the library and the player.
@MainActor
final class MainWindow {
    private let layout: Layout
    private let tunes: Tunes
    private let searchView: SearchView
    private let activeList: TrackList
    private let libraryList: TrackList
    private let playerBar: PlayerBar

    init(_ tunes: Tunes, application: UnsafeMutablePointer<GtkApplication>) {
        self.tunes = tunes
        layout = Layout(PackageResources.window_ui)
        let artwork = ArtworkLoader(catalog: tunes.catalog)
        searchView = SearchView(in: layout, tunes: tunes, artwork: artwork)
        activeList = TrackList(in: layout.opaque("active"), tunes: tunes, artwork: artwork)
        libraryList = TrackList(in: layout.opaque("library"), tunes: tunes, artwork: artwork)
        playerBar = PlayerBar(in: layout, playback: tunes.playback)
        gtk_window_set_application(layout.window, application)
        addShortcuts()
        searchView.takeKeys()
        observe()
        showLibrary()
        searchView.focus()
    }

    /// Brings the window to the front.
    func present() {
        gtk_window_present(layout.window)
    }

    /// Goes to the search, and into its entry.
    func find() {
        adw_view_stack_set_visible_child_name(layout.opaque("views"), "search")
        searchView.focus()
    }

    /// Calls a closure when the person closes the window.
    func whenClosed(_ body: @escaping @MainActor () -> Void) {
        layout.whenClosed(body)
    }

    private func observe() {
        tunes.downloads.changed = { [weak self] track in
            self?.showActive()
            self?.update(track)
        }
        tunes.downloads.finished = { [weak self] _ in self?.showLibrary() }
        tunes.downloads.failed = { [weak self] track, error in
            let reason = error.localizedDescription
            self?.say(localized("%1$@ was not downloaded: %2$@", track.title, reason))
        }
        tunes.removed = { [weak self] track in
            self?.showLibrary()
            self?.update(track)
            self?.say(localized("%1$@ is in the trash.", track.title))
        }
        tunes.removalFailed = { [weak self] track, error in
            let reason = error.localizedDescription
            self?.say(localized("%1$@ was not removed: %2$@", track.title, reason))
        }
        tunes.playback.moved = { [weak self] track in self?.update(track) }
        tunes.playback.failed = { [weak self] track, reason in
            self?.say(localized("%1$@ cannot be played: %2$@", track.title, reason))
        }
    }

    /// Adds the window that lists the keys; the menu opens it.
    private func addShortcuts() {
        let shortcuts = Layout(PackageResources.shortcuts_ui)
        gtk_application_window_set_help_overlay(
            layout.object("window").assumingMemoryBound(to: GtkApplicationWindow.self),
            shortcuts.opaque("shortcuts")
        )
    }

    /// Shows how a track is now, wherever it has a row.
    private func update(_ track: Track) {
        searchView.update(track)
        activeList.update(track)
        libraryList.update(track)
    }

    private func showLibrary() {
        let tracks = tunes.library.tracks
        libraryList.show(tracks)
        gtk_widget_set_visible(layout.widget("library"), tracks.isEmpty ? 0 : 1)
        showActive()
    }

    /// Shows what runs or is paused, above the songs.
    private func showActive() {
        let active = tunes.downloads.activeDownloads.values.map(\.track)
        activeList.show(active.sorted { $0.title < $1.title })
        gtk_widget_set_visible(layout.widget("downloads"), active.isEmpty ? 0 : 1)
        let isEmpty = active.isEmpty && tunes.library.tracks.isEmpty
        gtk_stack_set_visible_child_name(
            layout.opaque("library_pages"),
            isEmpty ? "empty" : "tracks"
        )
    }

    private func say(_ text: String) {
        adw_toast_overlay_add_toast(layout.opaque("toasts"), adw_toast_new(markup(text)))
    }
}
