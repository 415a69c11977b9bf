import FerrySystem
import FerryWire

/// What a file with ferryd's settings says.
struct SettingsText: Hashable, Sendable {
    /// A value, and the line that sets it.
    struct Entry: Hashable, Sendable {
        /// The value; `nil` for the default.
        var value: DaemonSetting.Value?
        /// The line's number, from 1.
        var line: Int
    }

    /// The file's path.
    let path: String
    /// Whether there is such a file.
    private(set) var exists = false
    /// The settings that it has.
    private(set) var entries: [DaemonSetting: Entry] = [:]
    /// What cannot be used of it; the other lines hold.
    private(set) var faults: [LineFault] = []
    private var group: String?

    /// A file that has nothing.
    init(path: String) { self.path = path }

    /// Reads a file; it may block.
    init(readingFileAt path: String) {
        self.init(path: path)
        switch PersonalFile.text(at: path) {
        case .success(let text): read(text)
        case .failure(let failure):
            exists = true
            faults = [LineFault(reason: failure.message)]
        case nil: break
        }
    }

    /// Reads a text.
    init(_ text: String, path: String) {
        self.init(path: path)
        read(text)
    }

    /// Returns the same for a file that did not answer in time: what it said before holds.
    func silenced() -> SettingsText {
        var text = self
        text.exists = true
        text.faults = [
            LineFault(reason: "its disk does not respond; the settings read before hold")
        ]
        return text
    }

    private mutating func read(_ text: String) {
        exists = true
        for (index, line) in PersonalFile.lines(of: text).enumerated() {
            do throws(KeyFileLine.Failure) {
                take(try KeyFileLine.read(line), at: index + 1)
            } catch {
                guard error != .libraryMissing else {
                    let reason = "libglib-2.0.so.0, which reads it, is missing; install GLib"
                    faults = [LineFault(reason: reason)]
                    return
                }
                let name = line.split(separator: "=").first.map { Self.shown($0) }
                let reason = "it is not a line such as 'setting=value', '[ferryd]' or '# comment'"
                faults.append(LineFault(line: index + 1, text: name, reason: reason))
            }
        }
        faults.sort { $0.line ?? 0 < $1.line ?? 0 }
    }

    private mutating func take(_ content: KeyFileLine, at line: Int) {
        switch content {
        case .nothing: break
        case .group(let name):
            group = name
            guard name != DaemonSetting.group else { return }
            fault(line, "[\(name)]", "there is no such group, only [\(DaemonSetting.group)]")
        case .pair(let key, let value):
            guard let group else {
                let reason = "it is in no group; write [\(DaemonSetting.group)] above it"
                return fault(line, key, reason)
            }
            guard group == DaemonSetting.group else {
                return fault(line, key, "it is in [\(group)], not in [\(DaemonSetting.group)]")
            }
            guard let setting = DaemonSetting(rawValue: key) else {
                return fault(line, key, "there is no such setting; ferry.conf(5) lists them")
            }
            // GLib keeps the space before the end of a line.
            let end = value.lastIndex { !$0.isWhitespace }
            set(setting, to: end.map { String(value[...$0]) } ?? "", at: line)
        }
    }

    private mutating func set(_ setting: DaemonSetting, to text: String, at line: Int) {
        let value = text == DaemonSetting.standardWord ? nil : setting.domain.value(of: text)
        guard value != nil || text == DaemonSetting.standardWord else {
            // A proxy's address may have a password, which is in no log.
            let given = setting.domain == .address ? "" : ", not '\(Self.shown(text))'"
            return fault(line, setting.name, "it takes \(setting.domain)\(given)")
        }
        if let earlier = entries[setting]?.line {
            fault(earlier, setting.name, "line \(line) sets it again, and holds")
        }
        entries[setting] = Entry(value: value, line: line)
    }

    private mutating func fault(_ line: Int, _ text: String, _ reason: String) {
        faults.append(LineFault(line: line, text: Self.shown(text), reason: reason))
    }

    /// Returns the beginning of a text, on one line.
    private static func shown(_ text: some StringProtocol) -> String {
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        return words.count > 60 ? "\(words.prefix(60))..." : words
    }
}
