import BackgroundTransferCore
import DesktopCore
import Ferry
import Foundation
import Toolkit

/// The program: started by a person it has a window, started by ferryd it has none.
@main
@MainActor
final class BackgroundTransfer: ApplicationDelegate {
    private let application: DesktopApplication
    private lazy var transfer = PictureTransfer()
    private var window: MainWindow?

    private init(_ application: DesktopApplication) {
        self.application = application
    }

    static func main() {
        let application = DesktopApplication(
            PictureTransfer.identifier,
            passingOn: PictureTransfer.addressVariable
        )
        guard let application else { exit(EXIT_FAILURE) }
        let program = BackgroundTransfer(application)
        exit(program.run())
    }

    private func run() -> Int32 {
        application.started = { [weak self] in self?.addActions() }
        application.opened = { [weak self] in self?.open() }
        application.eventsWereHandled = { [weak self] in self?.notify() }
        Application.shared.delegate = self
        return application.run()
    }

    private func addActions() {
        application.add("quit", keys: ["<Control>q", "<Control>w"]) { [weak self] in
            self?.application.quit()
        }
        application.add("about") { [weak self] in
            self?.application.showAbout("Background Transfer")
        }
    }

    private func open() {
        if let window { return window.present() }
        let window = MainWindow(transfer, application: application.pointer)
        self.window = window
        window.whenClosed { [weak self] in self?.window = nil }
        window.present()
        Task { await transfer.begin() }
    }

    /// Makes the session again, whose delegate files the picture.
    func application(
        _ application: Application,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        guard identifier == PictureTransfer.sessionIdentifier else { return completionHandler() }
        transfer.allWasTold = completionHandler
    }

    /// Tells the user, who has no window to see it in.
    private func notify() {
        guard window == nil else { return }
        switch transfer.state {
        case .here(let file):
            let title = localized("Picture Downloaded")
            application.notify(title: title, body: file.lastPathComponent)
        case .failed(let reason):
            application.notify(title: localized("The Picture Did Not Come"), body: reason)
        case .unknown, .downloading:
            break
        }
    }
}
