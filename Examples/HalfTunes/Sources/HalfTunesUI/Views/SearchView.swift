import CAdwaita
import CToolkit
import Foundation
import HalfTunesCore
import Toolkit

/// The entry, and what was found.
@MainActor
final class SearchView {
    private let list: TrackList
    private let layout: Layout
    private let search: Search
    private let downloads: DownloadService
    private var showsList = false

    init(in layout: Layout, tunes: Tunes, artwork: ArtworkLoader) {
        self.layout = layout
        search = tunes.search
        downloads = tunes.downloads
        list = TrackList(in: layout.opaque("results"), tunes: tunes, artwork: artwork)
        let search = search
        connect(layout.object("entry"), "changed") { [layout] in search.type(Self.text(layout)) }
        connect(layout.object("entry"), "activate") { [layout] in search.submit(Self.text(layout)) }
        connect(layout.object("entry"), "stop-search") { [layout] in
            gtk_editable_set_text(layout.opaque("entry"), "")
        }
        connect(layout.object("again"), "clicked") { [layout] in search.submit(Self.text(layout)) }
        search.changed = { [weak self] in self?.show() }
        show()
        repeatLastSearch()
    }

    private func repeatLastSearch() {
        let text = search.lastText
        guard !text.isEmpty else { return }
        gtk_editable_set_text(layout.opaque("entry"), text)
        search.submit(text)
    }

    /// Puts the cursor into the entry, and selects what is there.
    func focus() {
        gtk_widget_grab_focus(layout.widget("entry"))
        gtk_editable_select_region(layout.opaque("entry"), 0, -1)
    }

    /// Searches for what is typed anywhere in the window.
    func takeKeys() {
        gtk_search_entry_set_key_capture_widget(layout.opaque("entry"), layout.widget("window"))
    }

    /// Shows how a track's download is now.
    func update(_ track: Track) {
        list.update(track)
        // One of an earlier launch, most likely, is found while nothing was searched for.
        let isActive = downloads.activeDownloads[track.previewURL] != nil
        if search.page == .welcome, isActive, !showsList || !list.contains(track) { show() }
    }

    /// What was found; while nothing was searched for, what is on its way.
    private var tracks: [Track]? {
        switch search.page {
        case .results(let tracks): return tracks
        case .welcome:
            let active = downloads.activeDownloads.values.map(\.track)
            return active.isEmpty ? nil : active.sorted { $0.title < $1.title }
        case .nothing, .offline, .failed: return nil
        }
    }

    private func show() {
        gtk_spinner_set_spinning(layout.opaque("spinner"), search.isSearching ? 1 : 0)
        gtk_widget_set_visible(layout.widget("spinner"), search.isSearching ? 1 : 0)
        let tracks = tracks
        showsList = tracks != nil
        if let tracks { list.show(tracks) } else { show(StatusTexts(search.page)) }
        gtk_stack_set_visible_child_name(layout.opaque("pages"), showsList ? "results" : "status")
    }

    private func show(_ texts: StatusTexts) {
        let status = layout.opaque("status")
        adw_status_page_set_icon_name(status, texts.icon)
        adw_status_page_set_title(status, texts.title)
        adw_status_page_set_description(status, markup(texts.description))
        gtk_widget_set_visible(layout.widget("again"), texts.offersRepetition ? 1 : 0)
    }

    private static func text(_ layout: Layout) -> String {
        gtk_editable_get_text(layout.opaque("entry")).map { String(cString: $0) } ?? ""
    }
}
