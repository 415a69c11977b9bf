import CAdwaita
import CToolkit
import CancelAndResumeCore
import DesktopCore
import Foundation
import Toolkit

/// The row of a picture.
@MainActor
final class PictureRowView {
    let download: PictureDownload
    private let layout = Layout(PackageResources.row_ui)
    private var shown: PictureRow?

    init(_ download: PictureDownload, of downloads: PictureDownloads) {
        self.download = download
        gtk_label_set_label(layout.opaque("title"), download.picture.title)
        CToolkit_set_accessible_label(widget, download.picture.title)
        name("cancel", localized("Cancel"))
        name("resume", localized("Resume"))
        name("progress", localized("Progress"))
        connect(layout.object("start"), "clicked") { downloads.start(download) }
        connect(layout.object("cancel"), "clicked") { downloads.cancel(download) }
        connect(layout.object("resume"), "clicked") { downloads.resume(download) }
        show()
    }

    var widget: Widget { layout.widget("row") }

    /// Shows how things are.
    func show() {
        let row = PictureRow(download)
        guard row != shown else { return }
        shown = row
        set("start", isVisible: row.startTitle != nil)
        set("cancel", isVisible: row.showsCancel)
        set("resume", isVisible: row.showsResume)
        set("progress", isVisible: row.fraction != nil)
        if let title = row.startTitle {
            let button = layout.object("start").assumingMemoryBound(to: GtkButton.self)
            gtk_button_set_label(button, title)
            name("start", title)
        }
        gtk_progress_bar_set_fraction(layout.opaque("progress"), row.fraction ?? 0)
        gtk_label_set_label(layout.opaque("text"), row.text)
        if case .idle = download.state, let file = download.file {
            Task { await showThumbnail(of: file) }
        }
    }

    /// Several rows have the same buttons: what these say would not tell them apart.
    private func name(_ widget: String, _ text: String) {
        let label = localized("%1$@: %2$@", text, download.picture.title)
        CToolkit_set_accessible_label(layout.widget(widget), label)
    }

    private func showThumbnail(of file: URL) async {
        guard let texture = await Texture.of(file, fitting: 144) else { return }
        // In place of the symbol, which is small and pale.
        gtk_image_set_from_paintable(layout.opaque("thumbnail"), texture.pointer)
        gtk_image_set_pixel_size(layout.opaque("thumbnail"), 72)
        gtk_widget_remove_css_class(layout.widget("thumbnail"), "dim-label")
    }

    private func set(_ name: String, isVisible: Bool) {
        gtk_widget_set_visible(layout.widget(name), isVisible ? 1 : 0)
    }
}
