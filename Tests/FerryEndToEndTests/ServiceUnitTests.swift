import FoundationEssentials
import Testing

/// The unit that systemd starts ferryd by.
@Suite(.timeLimit(.minutes(5))) struct ServiceUnitTests {
    @Test func `the service sets nothing that applications which ferryd starts would inherit`()
        throws
    {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let unit = try String(
            contentsOfFile: "\(root)/packaging/systemd/ferryd.service",
            encoding: .utf8
        )
        let section = try #require(unit.split(separator: "[Service]\n").last).prefix { $0 != "[" }
        var settings: [Substring: Substring] = [:]
        for line in section.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1)
            settings[parts[0]] = parts.last
        }
        // A sandbox, a limit or a mask of the service would hold for the applications, too.
        #expect(
            settings.keys.sorted() == [
                "ExecStart", "KillMode", "OOMPolicy", "Restart", "RestartSec", "Type",
            ]
        )
        #expect(settings["KillMode"] == "process")
        #expect(settings["OOMPolicy"] == "continue")
    }
}
