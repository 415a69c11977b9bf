import FerryWire
import Foundation

/// The page ferry.conf(5) of the manual, made of the table that ferryd reads its settings by.
struct SettingsPage {
    private let date: Date

    /// The name of its file.
    let fileName = "ferry.conf.5"

    /// A page.
    ///
    /// - Parameter date: The date that the page has.
    init(date: Date) { self.date = date }

    /// The source of the page.
    var text: String {
        let lines = head + format + settings + ending
        return lines.joined(separator: "\n") + "\n"
    }

    private var head: [String] {
        ManualText.head(
            of: "ferry.conf",
            inSection: 5,
            about: "settings of the daemon for background transfers",
            madeFrom: "the table of settings",
            date: date
        )
    }

    private var format: [String] {
        let paragraphs = [
            "The file ~/.config/ferry/ferry.conf has the settings of ferryd(8) for a user; /etc/xdg/ferry/ferry.conf "
                + "and /etc/ferry/ferry.conf have those for all users. Each setting in one of these files beats the same "
                + "one in those behind it. All may be missing.",
            "The options of ferryd(8) beat all files, and ferry-limit(1) beats 'receive-rate' and 'send-rate'. "
                + "ferry-config(1) shows every setting that holds, and where it is from.",
            "The files are key files as GLib reads them: '[ferryd]' begins the settings, each line after it is "
                + "'setting=value', and a line that begins with '#' is a comment. In a value '\\\\' stands for a "
                + "backslash. The value 'default' takes a system's setting back. A file has up to 64 KiB.",
            "A line that cannot be used is told, with its file and its number, by ferry-config(1), by 'ferry daemon "
                + "status' and in the log; the other lines hold. A setting that is not known is told, too.",
            "The files are read when ferryd starts, and again by 'ferry daemon reload', by the signal HUP and by "
                + "'systemctl --user reload ferryd'. Limits then hold at once, also for transfers that run; the other "
                + "settings hold for what begins from then on.",
        ]
        return [".Sh DESCRIPTION"]
            + paragraphs.enumerated().flatMap { index, text in
                (index == 0 ? [] : [".Pp"]) + ManualText(text).lines
            }
    }

    private var settings: [String] {
        let items = DaemonSetting.allCases.flatMap { setting in
            let standard =
                setting.standard.map { "The default is '\($0)'." } ?? "There is no default."
            let takes = "It takes \(setting.domain)."
            let name = ManualText.literal(setting.name)
            let value = ManualText.argument(setting.placeholder)
            return [".It Cm \(name) Ns = Ns Ar \(value)"]
                + ManualText(setting.summary.asSentence).lines + ManualText(takes).lines
                + ManualText(standard).lines
        }
        let secrets =
            "A proxy's address may have a name and a password, as 'http://name:password@host:3128'. The "
            + "file should then be readable by its user alone; neither the log nor ferry-config(1) tells them."
        return [".Sh SETTINGS", ".Bl -tag -width Ds"] + items + [".El", ".Pp"]
            + ManualText(secrets).lines
    }

    private var ending: [String] {
        [
            ".Sh FILES",
            ".Bl -tag -width Ds",
            ".It Pa $XDG_CONFIG_HOME/ferry/ferry.conf",
            "The user's file, where the variable is set.",
            ".It Pa $XDG_CONFIG_DIRS/ferry/ferry.conf",
            "Files in each of these directories, or in",
            ".Pa /etc/xdg ,",
            "which beat the one in",
            ".Pa /etc .",
            ".El",
            ".Sh EXAMPLES",
            ".Bd -literal -offset indent",
            "[ferryd]",
            "# At night there is more, see ferry\\-timetable(5).",
            "receive\\-rate=2M",
            "maximum\\-per\\-host=4",
            "http\\-proxy=http://proxy.example:3128",
            "no\\-proxy=.example.org,10.0.0.1",
            "log\\-level=debug",
            ".Ed",
            ".Sh SEE ALSO",
            ".Xr ferry-config 1 ,",
            ".Xr ferry-daemon 1 ,",
            ".Xr ferry-limit 1 ,",
            ".Xr ferry-timetable 5 ,",
            ".Xr ferry 7 ,",
            ".Xr ferryd 8",
        ]
    }
}
