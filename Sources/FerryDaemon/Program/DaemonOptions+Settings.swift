import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire

extension DaemonOptions {
    /// Returns the options with the settings that hold.
    ///
    /// - Parameter settings: The settings; those that have their default change nothing.
    /// - Returns: The options that hold.
    func with(_ settings: SettingsInForce) -> DaemonOptions {
        var options = self
        for setting in DaemonSetting.allCases {
            if let value = settings[setting].value { options.set(setting, to: value) }
        }
        options.policy = shares.applied(to: options.policy)
        return options
    }

    /// Sets a setting; a value of another kind, which the table does not allow, changes nothing.
    private mutating func set(_ setting: DaemonSetting, to value: DaemonSetting.Value) {
        switch value {
        case .number(let number): set(setting, to: number)
        case .seconds(let seconds): set(setting, to: seconds)
        case .rate(let rate): set(setting, to: rate)
        case .word(let text), .address(let text): set(setting, to: text)
        case .hosts(let hosts): connections.proxyExceptions = hosts
        }
    }

    private mutating func set(_ setting: DaemonSetting, to number: Int) {
        switch setting {
        case .maximumTransfers: policy.maximumTransfers = number
        case .maximumPerHost: policy.maximumTransfersPerHost = number
        case .connections: policy.segments.maximumConnections = number
        case .connectionsFrom: policy.segments.divideBodies(from: Int64(number))
        case .spliceFrom: minimumSplicedBytes = number
        case .history: history.count = number
        case .historyDays: history.time = Double(number) * 86_400
        default: break
        }
    }

    private mutating func set(_ setting: DaemonSetting, to seconds: Double) {
        switch setting {
        case .connectionTrial: policy.segments.window = .seconds(seconds)
        case .idleTime: policy.idleTime = seconds
        case .retryDelay: policy.retry.firstDelay = .seconds(seconds)
        case .fullDiskDelay: policy.diskFullDelay = seconds
        case .relaunchDelay: policy.relaunchDelay = seconds
        default: break
        }
    }

    private mutating func set(_ setting: DaemonSetting, to rate: Int64) {
        switch setting {
        case .receiveRate: rates.receive = rate
        case .sendRate: rates.send = rate
        default: break
        }
    }

    private mutating func set(_ setting: DaemonSetting, to text: String) {
        switch setting {
        case .logLevel: logLevel = LogLevel(name: text) ?? logLevel
        case .httpProxy: connections.httpProxy = text
        case .httpsProxy: connections.httpsProxy = text
        case .authorityFile: connections.authorityFile = text
        case .authorityDirectory: connections.authorityDirectory = text
        default: break
        }
    }
}
