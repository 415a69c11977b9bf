import Ferry

/// The settings of ferryd, for people and for programs.
struct SettingsReport: Encodable {
    private struct Setting: Encodable {
        let name: String
        let value: String?
        let origin: String
        let file: String?
        let line: Int?
    }

    private struct File: Encodable {
        let path: String
        let exists: Bool
    }

    private struct Fault: Encodable {
        let file: String
        let line: Int?
        let text: String?
        let reason: String
    }

    private let settings: [Setting]
    private let faults: [Fault]
    private let files: [File]
    /// What is wrong with the files, a line each.
    let faultLines: [String]

    /// A report.
    ///
    /// - Parameter settings: The settings that hold.
    init(_ settings: TransferDaemon.Settings) {
        self.settings = settings.all.map { setting in
            var (file, line): (String?, Int?) = (nil, nil)
            if case .file(let path, let number) = setting.origin { (file, line) = (path, number) }
            return Setting(
                name: setting.name,
                value: setting.value,
                origin: setting.origin.name,
                file: file,
                line: line
            )
        }
        faults = settings.faults.map {
            Fault(file: $0.file, line: $0.line, text: $0.text, reason: $0.reason)
        }
        files = settings.files.map { File(path: $0.path, exists: $0.exists) }
        faultLines = settings.faults.map(\.shown)
    }

    /// The report for people.
    var text: String {
        var table = Table(["SETTING", "VALUE", "FROM"])
        let rows = settings.map { setting in
            let place = setting.file.map { "\($0):\(setting.line ?? 0)" }
            return [setting.name, setting.value ?? "-", place ?? setting.origin]
        }
        let present = files.filter(\.exists).map(\.path)
        let missing = files.filter { !$0.exists }.map { "\($0.path) (missing)" }
        let lists = [("files", present + missing), ("wrong", faultLines)].filter { !$0.1.isEmpty }
        let endings = lists.map { name, lines in
            "\(name):".padding(toColumn: 8)
                + lines.map(\.printable).joined(separator: "\n" + String(repeating: " ", count: 8))
        }
        return ([table.lines(rows, limit: nil), ""] + endings).joined(separator: "\n")
    }
}

extension TransferDaemon.Settings.Fault {
    /// The place and what is wrong with it, on one line.
    var shown: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return [place, text.map { "'\($0)'" }, reason].compactMap { $0 }.joined(separator: ": ")
            .printable
    }
}

extension TransferDaemon.Settings.Origin {
    /// The origin, in a few words.
    fileprivate var name: String {
        switch self {
        case .standard: "default"
        case .file: "file"
        case .arguments: "ferryd's command line"
        case .limit: "ferry limit"
        case .other: "elsewhere"
        }
    }
}
