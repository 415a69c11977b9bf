import FerryWire

/// The settings that hold, and where each is from.
///
/// The command line beats the user's file, which beats the system's, each for each setting.
struct SettingsInForce: Hashable, Sendable {
    /// Where a value is from.
    enum Origin: Hashable, Sendable {
        /// It is the default.
        case standard
        /// A line of a file.
        case file(String, line: Int)
        /// The command line.
        case arguments
    }

    /// A value and its origin.
    struct Entry: Hashable, Sendable {
        /// The value; `nil` for the default.
        var value: DaemonSetting.Value?
        /// Where it is from.
        var origin: Origin
    }

    /// The files, the most important first.
    let files: [SettingsText]
    private let arguments: [DaemonSetting: DaemonSetting.Value]

    /// Combines what there is.
    ///
    /// - Parameters:
    ///   - arguments: The settings of the command line.
    ///   - files: The files, the most important first.
    init(arguments: [DaemonSetting: DaemonSetting.Value] = [:], files: [SettingsText] = []) {
        self.arguments = arguments
        self.files = files
    }

    /// Returns the value of a setting that holds, and where it is from.
    subscript(setting: DaemonSetting) -> Entry {
        if let value = arguments[setting] { return Entry(value: value, origin: .arguments) }
        for file in files {
            guard let entry = file.entries[setting] else { continue }
            return Entry(value: entry.value, origin: .file(file.path, line: entry.line))
        }
        return Entry(value: nil, origin: .standard)
    }

    /// What cannot be used, with its file.
    var faults: [(file: String, fault: LineFault)] {
        files.flatMap { file in file.faults.map { (file.path, $0) } }
    }
}
