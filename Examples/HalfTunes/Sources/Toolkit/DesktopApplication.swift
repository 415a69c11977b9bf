package import CAdwaita
import CGettext
import DesktopCore
import Ferry
import Foundation

/// A program of the desktop: started by a person it has a window, started by ferryd it has none.
@MainActor
package final class DesktopApplication {
    /// Called once, before everything else.
    package var started: @MainActor () -> Void = {}
    /// Called when a person wants the window.
    package var opened: @MainActor () -> Void = {}
    /// Called when all is handled that ferryd has started the program for, before that ends.
    package var eventsWereHandled: @MainActor () -> Void = {}
    /// Called when the program is asked to end, as by SIGTERM.
    package lazy var terminated: @MainActor () -> Void = { [weak self] in self?.quit() }

    /// As GTK knows it.
    package let pointer: UnsafeMutablePointer<GtkApplication>
    /// Whether the next activation is that of the start itself, when nobody asked for a window.
    private var ignoresActivation = false

    /// The program that this process is; nil where libadwaita has none.
    ///
    /// - Parameters:
    ///   - identifier: By which ferryd, the desktop and the bus know it.
    ///   - variable: An environment variable that it needs also when ferryd starts it.
    package init?(_ identifier: String, passingOn variable: String) {
        Self.prepareProcess()
        Application.shared.identifier = identifier
        Application.shared.relaunch?.environmentNames.insert(variable)
        guard let application = Self.make(identifier) else { return nil }
        pointer = application.assumingMemoryBound(to: GtkApplication.self)
    }

    /// An application of libadwaita; without a screen, where ferryd starts it, one that has no windows.
    private static func make(_ identifier: String) -> UnsafeMutableRawPointer? {
        let flags = G_APPLICATION_DEFAULT_FLAGS
        // GTK ends a process that has windows and no screen. There is none before a person logs in, or after.
        if Application.shared.launchReason != .user, gtk_init_check() == 0 {
            return g_application_new(identifier, flags).map { UnsafeMutableRawPointer($0) }
        }
        return adw_application_new(identifier, flags).map { UnsafeMutableRawPointer($0) }
    }

    private static func prepareProcess() {
        // Whoever has started this program may have blocked signals in the thread that did.
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        Translations.install()
        MainQueue.attach()
    }

    /// Runs the program to its end.
    ///
    /// - Returns: Its exit code.
    package func run() -> Int32 {
        connect(pointer, "startup") { [weak self] in self?.start() }
        connect(pointer, "activate") { [weak self] in self?.activate() }
        // A window's process has the session already when ferryd starts another one in a race.
        ignoresActivation = Application.shared.launchReason != .user
        if ignoresActivation {
            guard g_application_register(gApplication, nil, nil) != 0 else { return EXIT_FAILURE }
            guard g_application_get_is_remote(gApplication) == 0 else { return EXIT_SUCCESS }
            // The arguments of the first launch may say that the bus has started it.
            return g_application_run(gApplication, 0, nil)
        }
        return g_application_run(gApplication, CommandLine.argc, CommandLine.unsafeArgv)
    }

    /// Ends the program.
    package func quit() {
        g_application_quit(gApplication)
    }

    /// Runs the program on without a window until something is done.
    package func stay(until body: @escaping @MainActor () async -> Void) {
        g_application_hold(gApplication)
        Task {
            await body()
            g_application_release(gApplication)
        }
    }

    var gApplication: UnsafeMutablePointer<GApplication> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GApplication.self)
    }

    private func start() {
        started()
        let this = Unmanaged.passUnretained(self).toOpaque()
        let terminate: GSourceFunc = { @Sendable data in
            guard let data else { return 0 }
            let application = Unmanaged<DesktopApplication>.fromOpaque(data)
            // GLib's main loop runs on the main thread alone.
            MainActor.assumeIsolated { application.takeUnretainedValue().terminated() }
            return 1
        }
        g_unix_signal_add(SIGTERM, terminate, this)
        guard ignoresActivation else { return }
        stay { [weak self] in
            await Application.shared.runUntilBackgroundEventsAreHandled()
            self?.eventsWereHandled()
        }
    }

    private func activate() {
        guard !ignoresActivation else {
            ignoresActivation = false
            return
        }
        opened()
    }
}

// MARK: - What a desktop offers

extension DesktopApplication {
    /// Adds something that menus and keys can ask for, as `app.` and its name.
    package func add(
        _ name: String,
        keys: [String] = [],
        _ body: @escaping @MainActor () -> Void
    ) {
        guard let action = g_simple_action_new(name, nil) else { return }
        connect(UnsafeMutableRawPointer(action), "activate", body)
        g_action_map_add_action(OpaquePointer(pointer), action)
        g_object_unref(UnsafeMutableRawPointer(action))
        set(keys, of: "app.\(name)")
    }

    /// Gives an action keys, as GTK writes them.
    package func set(_ keys: [String], of action: String) {
        // Without a screen there are no keys.
        guard gtk_is_initialized() != 0 else { return }
        var words = keys.map { UnsafePointer(strdup($0)) } + [nil]
        gtk_application_set_accels_for_action(pointer, action, &words)
        for case let word? in words { free(UnsafeMutablePointer(mutating: word)) }
    }

    /// Tells the user something who need not have a window of the program's.
    package func notify(title: String, body: String) {
        let notification = g_notification_new(title)
        g_notification_set_body(notification, body)
        g_application_send_notification(gApplication, "downloads", notification)
        g_object_unref(UnsafeMutableRawPointer(notification))
        // A program that ends now takes along what has not left it.
        g_dbus_connection_flush_sync(g_application_get_dbus_connection(gApplication), nil, nil)
    }

    /// Asks before something that cannot be taken back.
    ///
    /// - Parameters:
    ///   - heading: The question.
    ///   - body: What it means.
    ///   - refusal: The button for no, which the keys Return and Escape press as well.
    ///   - consent: The button for yes.
    ///   - action: What to do then.
    package func confirm(
        _ heading: String,
        _ body: String,
        refusal: String,
        consent: String,
        _ action: @escaping @MainActor () -> Void
    ) {
        let parent = gtk_application_get_active_window(pointer)
        guard let widget = adw_message_dialog_new(parent, heading, body) else { return }
        let object = UnsafeMutableRawPointer(widget)
        let dialog = object.assumingMemoryBound(to: AdwMessageDialog.self)
        adw_message_dialog_add_response(dialog, "refusal", refusal)
        adw_message_dialog_add_response(dialog, "consent", consent)
        adw_message_dialog_set_response_appearance(dialog, "consent", ADW_RESPONSE_DESTRUCTIVE)
        adw_message_dialog_set_default_response(dialog, "refusal")
        adw_message_dialog_set_close_response(dialog, "refusal")
        connect(object, "response::consent", action)
        gtk_window_present(object.assumingMemoryBound(to: GtkWindow.self))
    }

    /// Shows what the program is, and whose.
    package func showAbout(_ name: String) {
        guard let about = adw_about_window_new() else { return }
        let window = OpaquePointer(about)
        adw_about_window_set_application_name(window, name)
        // An app that is not installed has none.
        let identifier = g_application_get_application_id(gApplication)
        let icons = gtk_icon_theme_get_for_display(gdk_display_get_default())
        if gtk_icon_theme_has_icon(icons, identifier) != 0 {
            adw_about_window_set_application_icon(window, identifier)
        }
        adw_about_window_set_version(window, appVersion)
        adw_about_window_set_developer_name(window, "Ferry")
        adw_about_window_set_license_type(window, GTK_LICENSE_APACHE_2_0)
        let parent = gtk_application_get_active_window(pointer)
        UnsafeMutableRawPointer(about).withMemoryRebound(to: GtkWindow.self, capacity: 1) { about in
            gtk_window_set_transient_for(about, parent)
            gtk_window_present(about)
        }
    }
}

/// A text as markup that says just that, for widgets that take markup.
package func markup(_ text: String) -> String {
    guard let escaped = g_markup_escape_text(text, -1) else { return "" }
    defer { g_free(escaped) }
    return String(cString: escaped)
}

/// Where the translations are.
enum Translations {
    /// Prepares them for the user's language; before the first text.
    static func install() {
        setlocale(LC_ALL, "")
        let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let prefix = executable.deletingLastPathComponent().deletingLastPathComponent()
        bindtextdomain(translationDomain, prefix.appending(path: "share/locale").path)
        bind_textdomain_codeset(translationDomain, "UTF-8")
    }
}
