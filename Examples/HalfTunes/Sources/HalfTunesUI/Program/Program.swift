import CAdwaita
import CHalfTunes
import Ferry
import Foundation
import HalfTunesAudio
import HalfTunesCore

/// The program: started by a person it has a window, started by ferryd it has none.
@MainActor
package final class Program {
    private let application: UnsafeMutablePointer<GtkApplication>
    private var tunes: Tunes?
    private var window: MainWindow?
    private var relaunch: Relaunch?
    /// Whether the next activation is that of the start itself, when nobody asked for a window.
    private var ignoresActivation = false

    private init?() {
        let flags = G_APPLICATION_DEFAULT_FLAGS
        guard
            let raw = adw_application_new(Tunes.identifier, flags),
            case let application = UnsafeMutableRawPointer(raw)
        else { return nil }
        self.application = application.assumingMemoryBound(to: GtkApplication.self)
    }

    /// Runs the program to its end.
    ///
    /// - Returns: Its exit code.
    package static func run() -> Int32 {
        prepareProcess()
        guard let program = Program() else { return EXIT_FAILURE }
        return program.run()
    }

    private static func prepareProcess() {
        // Whoever has started this program may have blocked signals in the thread that did.
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        Translations.install()
        let shared = Application.shared
        shared.identifier = Tunes.identifier
        shared.relaunch?.environmentNames.insert(Catalog.addressVariable)
        MainQueue.attach()
    }

    private func run() -> Int32 {
        connect(application, "startup") { [weak self] in self?.start() }
        connect(application, "activate") { [weak self] in self?.activate() }
        // A window's process has the session already when ferryd starts another one in a race.
        ignoresActivation = Application.shared.launchReason != .user
        if ignoresActivation {
            guard g_application_register(gApplication, nil, nil) != 0 else { return EXIT_FAILURE }
            guard g_application_get_is_remote(gApplication) == 0 else { return EXIT_SUCCESS }
        }
        return g_application_run(gApplication, 0, nil)
    }

    private var gApplication: UnsafeMutablePointer<GApplication> {
        UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self)
    }

    private func start() {
        addActions()
        g_unix_signal_add(
            SIGTERM,
            { @Sendable application in
                g_application_quit(application?.assumingMemoryBound(to: GApplication.self))
                return 1
            },
            application
        )
        if ignoresActivation { handleBackgroundEvents() }
    }

    private func activate() {
        guard !ignoresActivation else {
            ignoresActivation = false
            return
        }
        if let window { return window.present() }
        let tunes = tunes ?? makeTunes()
        let window = MainWindow(tunes, application: application)
        self.window = window
        window.whenClosed { [weak self] in self?.window = nil }
        window.present()
        Task { await tunes.downloads.restore() }
    }

    private func makeTunes() -> Tunes {
        let tunes = Tunes(player: GStreamerPlayer())
        self.tunes = tunes
        return tunes
    }
}

// MARK: - Without a window

extension Program {
    /// Files what has been downloaded, says so, and ends, unless a person opens the window meanwhile.
    private func handleBackgroundEvents() {
        g_application_hold(gApplication)
        let relaunch = Relaunch { [weak self] in self?.tunes ?? self?.makeTunes() }
        self.relaunch = relaunch
        Application.shared.delegate = relaunch
        Task {
            await Application.shared.runUntilBackgroundEventsAreHandled()
            if window == nil { notify(relaunch.finished) }
            g_application_release(gApplication)
        }
    }

    private func notify(_ tracks: [Track]) {
        guard let text = NotificationTexts(tracks) else { return }
        let notification = g_notification_new(text.title)
        g_notification_set_body(notification, text.body)
        g_application_send_notification(gApplication, "downloads", notification)
        g_object_unref(UnsafeMutableRawPointer(notification))
        // The program ends now; what has not left it would never be seen.
        g_dbus_connection_flush_sync(g_application_get_dbus_connection(gApplication), nil, nil)
    }
}

// MARK: - Actions

extension Program {
    private func addActions() {
        add("find", keys: ["<Control>f"]) { [weak self] in self?.window?.find() }
        add("play-pause") { [weak self] in self?.tunes?.playback.toggle() }
        add("quit", keys: ["<Control>q", "<Control>w"]) { [weak self] in self?.quit() }
        add("quit-and-cancel") { [weak self] in self?.quitAndCancel() }
        add("about") { [weak self] in self?.showAbout() }
    }

    private func add(_ name: String, keys: [String] = [], _ body: @escaping @MainActor () -> Void) {
        guard let action = g_simple_action_new(name, nil) else { return }
        connect(UnsafeMutableRawPointer(action), "activate", body)
        g_action_map_add_action(OpaquePointer(application), action)
        g_object_unref(UnsafeMutableRawPointer(action))
        var words = keys.map { UnsafePointer(strdup($0)) } + [nil]
        gtk_application_set_accels_for_action(application, "app.\(name)", &words)
        for case let word? in words { free(UnsafeMutablePointer(mutating: word)) }
    }

    private func quit() {
        g_application_quit(gApplication)
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
            quit()
        }
    }

    private func showAbout() {
        guard let about = adw_about_window_new() else { return }
        let window = OpaquePointer(about)
        adw_about_window_set_application_name(window, "Half Tunes")
        adw_about_window_set_application_icon(window, Tunes.identifier)
        adw_about_window_set_developer_name(window, "Ferry")
        adw_about_window_set_license_type(window, GTK_LICENSE_APACHE_2_0)
        let parent = gtk_application_get_active_window(application)
        UnsafeMutableRawPointer(about).withMemoryRebound(to: GtkWindow.self, capacity: 1) { about in
            gtk_window_set_transient_for(about, parent)
            gtk_window_present(about)
        }
    }
}
