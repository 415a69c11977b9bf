import FerryStore
import FerrySystem
import FerryWire

// The settings: where each is from, and what people ask about them.
extension Daemon {
    /// Reads the files with the settings and the timetable again.
    func reload() async {
        // It is followed as well, but where the kernel tells of no changes.
        timetable.read()
        await readSettings()
    }

    /// Reports the settings that hold.
    func getSettings(_ call: MethodCall<Wire.GetSettings>) {
        call.reply.success(Wire.GetSettings.Reply(settings: presentedSettings()))
    }

    /// Reads the files with the settings again.
    func reload(_ call: MethodCall<Wire.Reload>) {
        let (reply, process) = (call.reply, call.connection.peer.processIdentifier)
        LoopActor.task { [self] in
            log.write(.info, "process \(process) has the settings read again")
            await reload()
            reply.success(Wire.Reload.Reply(settings: presentedSettings()))
        }
    }

    /// Writes what has changed to the log, and what is wrong with the files.
    func logChange(of former: SettingsInForce) {
        for setting in DaemonSetting.allCases where settings[setting].value != former[setting].value
        {
            let presented = presented(setting)
            let value = presented.value ?? "not set"
            let place = presented.file.map { ", by \($0):\(presented.line ?? 0)" } ?? ""
            log.write(.info, "\(setting.name) is \(value)\(place)")
        }
        let formerFaults = former.faults.map { $0.fault.text(in: $0.file) }
        for (file, fault) in settings.faults {
            let text = fault.text(in: file)
            if !formerFaults.contains(text) { log.write(.warning, text) }
        }
    }

    /// Returns what cannot be used of the files, as clients see it.
    func presentedSettingFaults() -> [Wire.SettingFault] {
        settings.faults.map { file, fault in
            Wire.SettingFault(file: file, line: fault.line, text: fault.text, reason: fault.reason)
        }
    }

    private func presentedSettings() -> Wire.Settings {
        Wire.Settings(
            settings: DaemonSetting.allCases.map { presented($0) },
            faults: presentedSettingFaults(),
            files: settings.files.map { Wire.SettingsFile(path: $0.path, exists: $0.exists) }
        )
    }

    private func presented(_ setting: DaemonSetting) -> Wire.Setting {
        if let rate = personalRate(setting) {
            return Wire.Setting(
                name: setting.name,
                value: DaemonSetting.Value.rate(rate).text,
                origin: .limit
            )
        }
        let entry = settings[setting]
        var presented = Wire.Setting(
            name: setting.name,
            value: entry.value?.text ?? setting.standard,
            origin: .standard
        )
        switch entry.origin {
        case .standard: break
        case .arguments: presented.origin = .arguments
        case .file(let file, let line):
            (presented.origin, presented.file, presented.line) = (.file, file, line)
        }
        return presented
    }

    /// The limit that a person has set by a call, which beats the same setting.
    private func personalRate(_ setting: DaemonSetting) -> Int64? {
        switch setting {
        case .receiveRate: machine.rates.receive
        case .sendRate: machine.rates.send
        default: nil
        }
    }
}
