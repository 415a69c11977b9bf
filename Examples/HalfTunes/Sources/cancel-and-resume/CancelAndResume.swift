import CancelAndResumeCore
import DesktopCore
import Ferry
import Foundation
import Toolkit

/// The program: started by a person it has a window, started by ferryd it has none.
@main
@MainActor
final class CancelAndResume: ApplicationDelegate {
    private let application: DesktopApplication
    private let downloads = PictureDownloads()
    private var window: MainWindow?
    /// What has arrived while there was no window to see it in.
    private var unseen: [String] = []

    private init(_ application: DesktopApplication) {
        self.application = application
    }

    static func main() {
        let application = DesktopApplication(
            PictureDownloads.identifier,
            passingOn: Picture.addressesVariable
        )
        guard let application else { exit(EXIT_FAILURE) }
        let program = CancelAndResume(application)
        exit(program.run())
    }

    private func run() -> Int32 {
        application.started = { [weak self] in self?.addActions() }
        application.opened = { [weak self] in self?.open() }
        application.eventsWereHandled = { [weak self] in self?.notify() }
        application.terminated = { [weak self] in self?.quit() }
        downloads.arrived = { [weak self] in self?.record($0) }
        Application.shared.delegate = self
        // The screen may be gone in a moment, and the program with it.
        Application.shared.terminationGracePeriod = 0
        return application.run()
    }

    private func addActions() {
        application.add("quit", keys: ["<Control>q"]) { [weak self] in self?.quit() }
        application.add("close", keys: ["<Control>w"]) { [weak self] in self?.window?.close() }
        application.add("about") { [weak self] in
            self?.application.showAbout("Cancel and Resume")
        }
    }

    private func open() {
        if let window { return window.present() }
        let window = MainWindow(downloads, application: application.pointer)
        self.window = window
        window.whenClosed { [weak self] in self?.close() }
        window.present()
        Task { await downloads.restore() }
    }

    /// What runs may end, and the program does then.
    private func close() {
        window = nil
        application.stay { [weak self] in
            await self?.downloads.close()
            self?.notify()
        }
    }

    /// The program ends at once, and what runs goes on without it.
    private func quit() {
        Task {
            await downloads.handOver()
            application.quit()
        }
        Task {
            // A ferryd that does not answer keeps nobody: what it has not taken is on the disk.
            try? await Task.sleep(for: .seconds(Application.shared.expirationTimeLimit))
            application.quit()
        }
    }

    /// Makes the session again, whose delegate files the pictures.
    func application(
        _ application: Application,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        guard identifier == PictureDownloads.sessionIdentifier else { return completionHandler() }
        downloads.allWasTold = completionHandler
        Task { await downloads.restore() }
    }

    private func record(_ download: PictureDownload) {
        if window == nil { unseen.append(download.picture.title) }
    }

    private func notify() {
        guard window == nil, !unseen.isEmpty else { return }
        let titles = unseen.joined(separator: ", ")
        application.notify(title: localized("Picture Downloaded"), body: titles)
        unseen = []
    }
}
