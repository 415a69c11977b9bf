import CAdwaita
import CancelAndResumeCore
import Foundation
import Toolkit

/// The window: a row for each picture.
@MainActor
final class MainWindow {
    private let layout = Layout(PackageResources.window_ui)
    private let rows: [PictureRowView]

    init(_ downloads: PictureDownloads, application: UnsafeMutablePointer<GtkApplication>) {
        rows = downloads.downloads.map { PictureRowView($0, of: downloads) }
        for row in rows { gtk_list_box_append(layout.opaque("pictures"), row.widget) }
        gtk_window_set_application(layout.window, application)
        downloads.changed = { [weak self] download in
            self?.rows.first { $0.download === download }?.show()
        }
    }

    /// Brings the window to the front.
    func present() {
        gtk_window_present(layout.window)
    }

    func close() {
        gtk_window_close(layout.window)
    }

    /// Calls a closure when the person closes the window.
    func whenClosed(_ body: @escaping @MainActor () -> Void) {
        layout.whenClosed(body)
    }
}
