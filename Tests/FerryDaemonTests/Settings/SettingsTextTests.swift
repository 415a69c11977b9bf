import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Glibc
import Testing

@testable import FerryDaemon

/// What is read of a file with settings, whatever is in it.
@Suite(.timeLimit(.minutes(1))) struct SettingsTextTests {
    private func read(_ text: String) -> SettingsText { SettingsText(text, path: "/f") }

    private func faults(_ text: String) -> [String] {
        read(text).faults.map { $0.text(in: "f") }
    }

    @Test func `each setting is read as the table says`() {
        let text = read(
            """
            # mine
            [ferryd]
            log-level=debug
            maximum-transfers = 3

            connection-trial=0.25
            receive-rate=2M
            http-proxy=http://a:b@proxy:3128
            no-proxy=.example.org, 10.0.0.1
            ca-file=/etc/ca.pem
            idle-time=default

            """
        )
        #expect(text.faults == [])
        #expect(text.exists)
        #expect(
            text.entries == [
                .logLevel: .init(value: .word("debug"), line: 3),
                .maximumTransfers: .init(value: .number(3), line: 4),
                .connectionTrial: .init(value: .seconds(0.25), line: 6),
                .receiveRate: .init(value: .rate(2_000_000), line: 7),
                .httpProxy: .init(value: .address("http://a:b@proxy:3128"), line: 8),
                .noProxy: .init(value: .hosts([".example.org", "10.0.0.1"]), line: 9),
                .authorityFile: .init(value: .word("/etc/ca.pem"), line: 10),
                .idleTime: .init(value: nil, line: 11),
            ]
        )
    }

    @Test(arguments: [
        ("maximum-transfers=0", "'maximum-transfers': it takes a number from 1 to 1024, not '0'"),
        ("idle-time=nan", "'idle-time': it takes a number of seconds from 0 to 86400, not 'nan'"),
        (
            "send-rate=",
            "'send-rate': it takes a rate in bytes per second, such as 500k, 2M or 1.5MiB, not ''"
        ),
        ("ca-file=ca.pem", "'ca-file': it takes an absolute path, not 'ca.pem'"),
        (
            "log-level=loud",
            "'log-level': it takes one of error, warning, notice, info, debug, not 'loud'"
        ),
        ("colour=red", "'colour': there is no such setting; ferry.conf(5) lists them"),
        ("Connections=1", "'Connections': there is no such setting; ferry.conf(5) lists them"),
        ("oops", "'oops': it is not a line such as 'setting=value', '[ferryd]' or '# comment'"),
    ])
    func `a bad line is told with what is allowed, and the others hold`(
        _ line: String,
        _ fault: String
    ) {
        let text = "[ferryd]\nconnections=2\n\(line)\nretry-delay=7\n"
        #expect(faults(text) == ["f:3: \(fault)"])
        #expect(Set(read(text).entries.keys) == [.connections, .retryDelay])
    }

    @Test func `no fault has the password of a proxy`() {
        let lines = faults("[ferryd]\nhttp-proxy=http://me:secret@\u{7F}\nhttp_proxy=secret\n")
        #expect(lines.count == 2)
        #expect(!lines.joined().contains("secret"))
    }

    @Test func `of a setting that is there twice the last one holds, and the first is told`() {
        let text = "[ferryd]\nconnections=2\nconnections=3\n"
        #expect(faults(text) == ["f:2: 'connections': line 3 sets it again, and holds"])
        #expect(read(text).entries == [.connections: .init(value: .number(3), line: 3)])
    }

    @Test func `settings without their group, or in another, do not hold`() {
        #expect(
            faults("connections=2\n[other]\nconnections=3") == [
                "f:1: 'connections': it is in no group; write [ferryd] above it",
                "f:2: '[other]': there is no such group, only [ferryd]",
                "f:3: 'connections': it is in [other], not in [ferryd]",
            ]
        )
        #expect(read("connections=2\n[other]\nconnections=3").entries == [:])
    }

    @Test func `the ends of lines may be those of Windows, and the last may have none`() {
        let text = read("[ferryd]\r\nconnections=2\r\nidle-time=3")
        #expect(text.faults == [])
        #expect(text.entries.count == 2)
    }

    @Test func `rubbish is told line by line, and does no harm`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let scalars = (0..<300).map { _ in
                Character(UnicodeScalar(UInt8.random(in: 0...255, using: &generator)))
            }
            let text = read("[ferryd]\nconnections=2\n" + String(scalars))
            #expect(text.entries[.connections]?.value == .number(2))
        }
    }

    // MARK: Files

    private func write(_ text: String, _ name: String, in home: TemporaryDirectory) throws -> String
    {
        let path = "\(home.path)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func `a missing file has nothing, and that is no fault`() throws {
        let home = try TemporaryDirectory()
        let text = SettingsText(readingFileAt: home.path + "/none/ferry.conf")
        #expect(!text.exists && text.entries == [:] && text.faults == [])
    }

    @Test func `a link is followed, and one that leads nowhere is a missing file`() throws {
        let home = try TemporaryDirectory()
        let file = try write("[ferryd]\nconnections=2\n", "real", in: home)
        #expect(symlink(file, home.path + "/link") == 0)
        #expect(symlink(home.path + "/gone", home.path + "/dangling") == 0)
        #expect(SettingsText(readingFileAt: home.path + "/link").entries.count == 1)
        #expect(!SettingsText(readingFileAt: home.path + "/dangling").exists)
    }

    @Test func `what is no file, no text or too long is told, and not read`() throws {
        let home = try TemporaryDirectory()
        let huge = try write(
            "[ferryd]\n" + String(repeating: "# long\n", count: 10_000),
            "huge",
            in: home
        )
        #expect(
            SettingsText(readingFileAt: huge).faults == [
                LineFault(reason: "it is larger than 64 KiB, the limit")
            ]
        )
        let binary = home.path + "/binary"
        try Data([0x5B, 0xFF, 0xFE, 0x00]).write(to: URL(filePath: binary))
        #expect(
            SettingsText(readingFileAt: binary).faults == [
                LineFault(reason: "it is not text in UTF-8; save it in UTF-8")
            ]
        )
        #expect(
            SettingsText(readingFileAt: home.path).faults == [
                LineFault(reason: "it is not a regular file; move it away")
            ]
        )
        #expect(mkfifo(home.path + "/pipe", 0o600) == 0)
        #expect(SettingsText(readingFileAt: home.path + "/pipe").faults.count == 1)
        #expect(SettingsText(readingFileAt: "/dev/zero").faults.count == 1)
    }

    @Test(.enabled(if: geteuid() != 0, "root reads every file"))
    func `a file that may not be read is told`() throws {
        let home = try TemporaryDirectory()
        let file = try write("[ferryd]\n", "closed", in: home)
        #expect(chmod(file, 0) == 0)
        let fault = SettingsText(readingFileAt: file).faults.first
        #expect(fault?.reason.hasPrefix("it cannot be read: ") == true)
    }

    @Test func `a link to itself cannot be read`() throws {
        let home = try TemporaryDirectory()
        let path = home.path + "/loop"
        #expect(symlink(path, path) == 0)
        let text = SettingsText(readingFileAt: path)
        #expect(text.faults.first?.reason.hasPrefix("it cannot be read: ") == true)
    }
}
