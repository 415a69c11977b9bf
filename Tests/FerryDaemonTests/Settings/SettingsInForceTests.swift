import FerryTransfer
import FerryWire
import Testing

@testable import FerryDaemon

/// Which of several values of a setting holds.
@Suite(.timeLimit(.minutes(1))) struct SettingsInForceTests {
    private let mine = SettingsText("[ferryd]\nconnections=2\nidle-time=default\n", path: "/mine")
    private let system = SettingsText(
        "[ferryd]\nconnections=3\nretry-delay=5\nidle-time=60\n",
        path: "/system"
    )

    @Test func `each setting is the user's, else the system's, else the default`() {
        let settings = SettingsInForce(files: [mine, system])
        #expect(
            settings[.connections] == .init(value: .number(2), origin: .file("/mine", line: 2))
        )
        #expect(
            settings[.retryDelay] == .init(value: .seconds(5), origin: .file("/system", line: 3))
        )
        #expect(settings[.idleTime] == .init(value: nil, origin: .file("/mine", line: 3)))
        #expect(settings[.spliceFrom] == .init(value: nil, origin: .standard))
    }

    @Test func `the command line beats the files`() throws {
        let options = try DaemonOptions.parse(["--connections", "9"])
        let settings = SettingsInForce(arguments: options.arguments, files: [mine, system])
        #expect(settings[.connections] == .init(value: .number(9), origin: .arguments))
        #expect(options.with(settings).policy.segments.maximumConnections == 9)
        #expect(options.with(settings).policy.retry.firstDelay == .seconds(5))
        #expect(options.with(settings).policy.idleTime == 10)
    }

    @Test func `every setting that has a value changes the options`() {
        // What runs after a transfer is for the command.
        let lines = DaemonSetting.allCases.filter { $0 != .execAfter }.map { setting in
            let value =
                switch setting.domain {
                case .number: "7"
                case .seconds: "0.5"
                case .rate: "7k"
                case .choice: "error"
                case .address: "http://p:1"
                case .hosts: "a,b"
                case .path: "/ca"
                case .command: "true"
                }
            return "[ferryd]\n\(setting.name)=\(value)\n"
        }
        let plain = DaemonOptions()
        for line in lines {
            let text = SettingsText(line, path: "/f")
            #expect(text.faults == [])
            let changed = plain.with(SettingsInForce(files: [text]))
            #expect(String(describing: changed) != String(describing: plain), "\(line)")
        }
    }

    @Test func `a proxy's name and password are not shown`() {
        let address = DaemonSetting.Value.address("http://me:p@ss@proxy:3128")
        #expect(address.text == "http://...@proxy:3128")
        #expect(DaemonSetting.Value.address("proxy:3128").text == "proxy:3128")
    }

    @Test func `sessions that say nothing connect as the settings say`() {
        var standard = Wire.Connections()
        standard.httpProxy = "http://p:1"
        standard.proxyExceptions = ["a"]
        standard.authorityFile = "/ca"
        #expect(Wire.Connections().filled(from: standard) == standard)
        var own = Wire.Connections()
        own.httpsProxy = "http://own:1"
        let filled = own.filled(from: standard)
        #expect(filled.httpProxy == nil && filled.httpsProxy == "http://own:1")
        #expect(filled.proxyExceptions == nil && filled.authorityFile == "/ca")
    }
}
