import CGettext
import DesktopCore
import Foundation

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
