import DesktopCore
import Ferry
import Foundation
import HalfTunesAudio
import HalfTunesCore
import Toolkit

/// The program: started by a person it has a window, started by ferryd it has none.
@MainActor
package final class Program {
    private let application: DesktopApplication
    private var tunes: Tunes?
    private var window: MainWindow?
    private var relaunch: Relaunch?

    private init(_ application: DesktopApplication) {
        self.application = application
    }

    /// Runs the program to its end.
    ///
    /// - Returns: Its exit code.
    package static func run() -> Int32 {
        let application = DesktopApplication(
            Tunes.identifier,
            passingOn: Catalog.addressVariable
        )
        guard let application else { return EXIT_FAILURE }
        let program = Program(application)
        return program.run()
    }

    private func run() -> Int32 {
        application.started = { [weak self] in self?.addActions() }
        application.opened = { [weak self] in self?.open() }
        if Application.shared.launchReason != .user { handleBackgroundEvents() }
        return application.run()
    }

    private func open() {
        if let window { return window.present() }
        let tunes = tunes ?? makeTunes()
        let window = MainWindow(tunes, application: application.pointer)
        self.window = window
        window.whenClosed { [weak self] in self?.window = nil }
        window.present()
        Task { await tunes.downloads.restore() }
    }

    private func makeTunes() -> Tunes {
        let tunes = Tunes(player: GStreamerPlayer(), files: application)
        self.tunes = tunes
        return tunes
    }

    /// Files what has been downloaded, says so, and ends, unless a person opens the window meanwhile.
    private func handleBackgroundEvents() {
        let relaunch = Relaunch { [weak self] in self?.tunes ?? self?.makeTunes() }
        self.relaunch = relaunch
        Application.shared.delegate = relaunch
        application.eventsWereHandled = { [weak self] in
            guard let self, window == nil, let text = NotificationTexts(relaunch) else {
                return
            }
            application.notify(title: text.title, body: text.body)
        }
    }
}

// MARK: - Actions

extension Program {
    private func addActions() {
        application.add("find", keys: ["<Control>f"]) { [weak self] in self?.window?.find() }
        application.add("play-pause") { [weak self] in self?.tunes?.playback.toggle() }
        application.set(["<Control>question"], of: "win.show-help-overlay")
        application.add("quit", keys: ["<Control>q", "<Control>w"]) { [weak self] in
            self?.application.quit()
        }
        application.add("quit-and-cancel") { [weak self] in self?.askToQuitAndCancel() }
        application.add("about") { [weak self] in self?.application.showAbout("Half Tunes") }
    }

    /// Asks first, where there is somebody to ask and something to lose.
    private func askToQuitAndCancel() {
        guard window != nil, tunes?.downloads.activeDownloads.isEmpty == false else {
            return quitAndCancel()
        }
        application.confirm(
            localized("Quit and Cancel Downloads?"),
            localized("All downloads end, paused ones as well, and what they have loaded is lost."),
            refusal: localized("Keep Downloading"),
            consent: localized("Quit and Cancel")
        ) { [weak self] in self?.quitAndCancel() }
    }

    /// What a force quit is elsewhere: the transfers end, and ferryd does not start the app again.
    private func quitAndCancel() {
        let downloads = tunes?.downloads
        Task {
            if let downloads {
                for download in downloads.activeDownloads.values {
                    downloads.cancel(download.track)
                }
                await downloads.flush()
            }
            // ferryd does not know an app that never had a session; then there is nothing to end.
            _ = try? await TransferDaemon().quit(application: Tunes.identifier)
            application.quit()
        }
    }
}

/// What a notification says of songs that have arrived.
struct NotificationTexts {
    var title: String
    var body: String

    /// nil when there is nothing to say.
    @MainActor
    init?(_ relaunch: Relaunch) {
        let tracks = relaunch.finished
        if let failure = relaunch.failed.first {
            title = localized("Song Not Downloaded")
            body = localized(
                "%1$@ was not downloaded: %2$@",
                failure.track.title,
                failure.reason
            )
            return
        }
        guard let first = tracks.first else { return nil }
        if tracks.count == 1 {
            title = localized("Song Downloaded")
            body = localized("%1$@ by %2$@", first.title, first.artist)
        } else {
            title = localized("Songs Downloaded")
            body = tracks.map(\.title).joined(separator: ", ")
        }
    }
}
