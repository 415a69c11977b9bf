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
        setLabels(download.picture.title)
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
        }
        gtk_progress_bar_set_fraction(layout.opaque("progress"), row.fraction ?? 0)
        gtk_label_set_label(layout.opaque("text"), row.text)
        if case .idle = download.state, let file = download.file {
            Task { await showThumbnail(of: file) }
        }
    }

    /// Several rows have the same buttons: their names alone would not tell them apart.
    private func setLabels(_ title: String) {
        let labels = [
            "row": title,
            "start": localized("Start %1$@", title),
            "cancel": localized("Cancel %1$@", title),
            "resume": localized("Resume %1$@", title),
            "progress": localized("Progress of %1$@", title),
        ]
        for (name, label) in labels {
            CToolkit_set_accessible_label(layout.widget(name), label)
        }
    }

    private func showThumbnail(of file: URL) async {
        guard let texture = await Texture.of(file, fitting: 144) else { return }
        gtk_image_set_from_paintable(layout.opaque("thumbnail"), texture.pointer)
    }

    private func set(_ name: String, isVisible: Bool) {
        gtk_widget_set_visible(layout.widget(name), isVisible ? 1 : 0)
    }
}
