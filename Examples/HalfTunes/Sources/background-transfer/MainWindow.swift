import BackgroundTransferCore
import CAdwaita
import DesktopCore
import Foundation
import Toolkit

/// The window: the picture, or what there is to say while it is not there.
@MainActor
final class MainWindow {
    private let layout = Layout(PackageResources.window_ui)
    private let transfer: PictureTransfer

    init(_ transfer: PictureTransfer, application: UnsafeMutablePointer<GtkApplication>) {
        self.transfer = transfer
        gtk_window_set_application(layout.window, application)
        connect(layout.object("download_again"), "clicked") { transfer.download() }
        connect(layout.object("try_again"), "clicked") { transfer.download() }
        transfer.changed = { [weak self] in self?.show() }
        show()
    }

    /// Brings the window to the front.
    func present() {
        gtk_window_present(layout.window)
    }

    /// Calls a closure when the person closes the window.
    func whenClosed(_ body: @escaping @MainActor () -> Void) {
        layout.whenClosed(body)
    }

    private func show() {
        switch transfer.state {
        case .unknown:
            break
        case .downloading(let progress):
            show(progress)
        case .here(let file):
            Task { await show(file) }
        case .failed(let reason):
            show(localized("The Picture Did Not Come"), reason)
        }
    }

    private func show(_ progress: DownloadProgress?) {
        showPage("progress")
        gtk_progress_bar_set_fraction(layout.opaque("progress"), progress?.fraction ?? 0)
        let text = progress?.text ?? localized("Downloading...")
        gtk_label_set_label(layout.opaque("progress_text"), text)
    }

    private func show(_ file: URL) async {
        let texture = await Texture.of(file)
        // It takes a moment to decode a large picture, in which another download may have begun.
        guard transfer.state == .here(file) else { return }
        guard let texture else {
            return show(localized("The File Is No Picture"), file.path)
        }
        gtk_picture_set_paintable(layout.opaque("picture"), texture.pointer)
        gtk_picture_set_alternative_text(layout.opaque("picture"), file.lastPathComponent)
        showPage("picture")
    }

    private func show(_ title: String, _ reason: String) {
        adw_status_page_set_title(layout.opaque("failure"), title)
        // The description is markup, the reason of an error is not.
        adw_status_page_set_description(layout.opaque("failure"), markup(reason))
        showPage("failure")
    }

    private func showPage(_ name: String) {
        gtk_stack_set_visible_child_name(layout.opaque("pages"), name)
        gtk_widget_set_visible(layout.widget("download_again"), name == "picture" ? 1 : 0)
    }
}
