import FerryHTTP
import FerryTransfer
import FerryWire
import FoundationEssentials
import Glibc
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct DaemonOptionsTests {
    @Test func `without arguments the daemon serves, with its defaults`() throws {
        let options = try DaemonOptions.parse([])
        #expect(options.action == .serve(isForeground: false))
        #expect(options.logLevel == .info)
        #expect(options.policy.maximumTransfers == 32)
        #expect(options.policy.maximumTransfersPerHost == 16)
        #expect(options.policy.idleTime == 10)
        #expect(options.policy.relaunchDelay == 1)
        #expect(options.policy.retry.firstDelay == .seconds(1))
    }

    @Test(arguments: [
        ("--foreground", DaemonOptions.Action.serve(isForeground: true)),
        ("--detach", .detach),
        ("--help", .help),
        ("-h", .help),
        ("--version", .version),
    ])
    func `an argument says what to do`(_ argument: String, _ action: DaemonOptions.Action) throws {
        #expect(try DaemonOptions.parse([argument]).action == action)
    }

    @Test func `limits and delays can be set`() throws {
        let options = try DaemonOptions.parse([
            "--maximum-transfers", "3", "--maximum-per-host", "2", "--idle-time", "0.5",
            "--retry-delay", "7", "--relaunch-delay", "0", "--full-disk-delay", "9",
            "--splice-from", "4096", "--log-level", "debug", "--connections", "16",
            "--connection-trial", "0.25", "--connections-from", "80000",
        ])
        #expect(options.policy.maximumTransfers == 3)
        #expect(options.policy.maximumTransfersPerHost == 2)
        #expect(options.policy.idleTime == 0.5)
        #expect(options.policy.retry.firstDelay == .seconds(7))
        #expect(options.policy.relaunchDelay == 0)
        #expect(options.policy.diskFullDelay == 9)
        #expect(options.policy.segments.maximumConnections == 16)
        #expect(options.policy.segments.window == .milliseconds(250))
        #expect(options.policy.segments.minimumBodyBytes == 80_000)
        #expect(options.policy.segments.minimumSegmentBytes == 10_000)
        #expect(options.minimumSplicedBytes == 4096)
        #expect(options.logLevel == .debug)
    }

    @Test func `each default of the table is the one that holds without it`() throws {
        for setting in DaemonSetting.allCases where setting.isOption {
            guard let standard = setting.standard else { continue }
            let given = try DaemonOptions.parse(["--\(setting.name)", standard])
            #expect(given.policy.maximumTransfers == DaemonPolicy().maximumTransfers)
            #expect(given.policy.maximumTransfersPerHost == DaemonPolicy().maximumTransfersPerHost)
            #expect(given.policy.segments == DaemonPolicy().segments)
            #expect(given.policy.retry.firstDelay == DaemonPolicy().retry.firstDelay)
            #expect(given.policy.idleTime == DaemonPolicy().idleTime)
            #expect(given.policy.diskFullDelay == DaemonPolicy().diskFullDelay)
            #expect(given.policy.relaunchDelay == DaemonPolicy().relaunchDelay)
            #expect(given.logLevel == DaemonOptions().logLevel)
        }
        let spliced = try #require(DaemonSetting.spliceFrom.standard.flatMap { Int64($0) })
        #expect(HTTPClient.Configuration(environment: [:]).minimumSplicedBytes == spliced)
        let connections = 1...Download.SegmentPolicy.connectionLimit
        #expect(DaemonSetting.connections.domain == .number(connections))
        #expect(DaemonSetting.logLevel.domain == .choice(LogLevel.allCases.map(\.name)))
    }

    @Test func `a default that is given changes nothing`() throws {
        let options = try DaemonOptions.parse([
            "--connections-from", "8388608", "--connections", "4",
        ])
        #expect(options.policy.segments == DaemonPolicy().segments)
    }

    @Test(arguments: [
        ["--maximum-transfers", "1"], ["--maximum-transfers", "1024"],
        ["--maximum-per-host", "1"], ["--maximum-per-host", "256"], ["--idle-time", "86400"],
    ])
    func `the ends of a range belong to it`(_ arguments: [String]) throws {
        _ = try DaemonOptions.parse(arguments)
    }

    @Test(arguments: [
        (["--maximum-transfers", "0"], "--maximum-transfers takes a number from 1 to 1024"),
        (["--maximum-transfers", "1025"], "--maximum-transfers takes a number from 1 to 1024"),
        (["--maximum-transfers", "many"], "--maximum-transfers takes a number from 1 to 1024"),
        (["--maximum-transfers"], "--maximum-transfers takes a number from 1 to 1024"),
        (["--maximum-per-host", "257"], "--maximum-per-host takes a number from 1 to 256"),
        (
            ["--splice-from", "0"],
            "--splice-from takes a number from 1 to 9223372036854775807"
        ),
        (["--connections", "17"], "--connections takes a number from 1 to 16"),
        (
            ["--connections-from", "0"],
            "--connections-from takes a number from 1 to 9223372036854775807"
        ),
        (
            ["--connection-trial", "-1"],
            "--connection-trial takes a number of seconds from 0 to 86400"
        ),
        (["--idle-time", "-1"], "--idle-time takes a number of seconds from 0 to 86400"),
        (["--idle-time", "nan"], "--idle-time takes a number of seconds from 0 to 86400"),
        (["--idle-time", "inf"], "--idle-time takes a number of seconds from 0 to 86400"),
        (["--retry-delay", ""], "--retry-delay takes a number of seconds from 0 to 86400"),
        (
            ["--log-level", "loud"],
            "--log-level takes one of error, warning, notice, info, debug"
        ),
        (
            ["--receive-rate", "fast"],
            "--receive-rate takes a rate in bytes per second, such as 500k, 2M or 1.5MiB"
        ),
        (["--http-proxy", "http://a:1"], "there is no option --http-proxy"),
        (["maximum-transfers", "3"], "there is no option maximum-transfers"),
        (["--what"], "there is no option --what"),
        (["now"], "there is no option now"),
    ])
    func `what is wrong is said`(_ arguments: [String], _ message: String) throws {
        let failure = try #require(
            #expect(throws: DaemonFailure.self) { try DaemonOptions.parse(arguments) }
        )
        #expect(failure.status == 2)
        #expect(failure.message == message + "; see ferryd --help")
    }

    @Test func `the help names every option`() {
        let options = [
            "--foreground", "--detach", "--log-level", "--maximum-transfers", "--maximum-per-host",
            "--idle-time", "--retry-delay", "--full-disk-delay", "--relaunch-delay",
            "--splice-from", "--connections", "--connection-trial", "--connections-from",
            "--receive-rate", "--send-rate", "--help", "--version",
        ]
        for option in options { #expect(DaemonOptions.help.contains("  \(option)")) }
    }

    @Test func `USE-16: no line of the help is wider than a terminal`() {
        for line in DaemonOptions.help.split(separator: "\n") {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test func `the page of the manual has every option of the help`() throws {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let file = root.appending(path: "packaging/manual/ferryd.8")
        let page = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let options = DaemonOptions.help.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^  --(?<name>[a-z-]+)(?<value> [A-Z]+)?/)
        }
        #expect(options.count == 19)
        for option in options {
            let name = option.name.replacing("-", with: "\\-")
            let value = option.value.map { " Ar\($0)" } ?? ""
            #expect(page.contains(".It Fl \\-\(name)\(value)\n"), "--\(option.name)")
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct ListeningSocketsTests {
    private static let own = "\(getpid())"

    /// The variables, and the sockets of systemd, of a client, and of a daemon that has handed over.
    private static let environments: [([String: String], [Int32])] = [
        ([:], [0, 0, 0]),
        (["LISTEN_FDS": "2", "LISTEN_PID": own], [2, 0, 0]),
        (["LISTEN_FDS": "2", "FERRY_LISTEN_PID": "inherit"], [0, 2, 0]),
        (["LISTEN_FDS": "2"], [0, 0, 0]),
        (["LISTEN_FDS": "2", "LISTEN_PID": "1"], [0, 0, 0]),
        (["LISTEN_FDS": "2", "FERRY_LISTEN_PID": "1"], [0, 0, 0]),
        (["LISTEN_PID": own], [0, 0, 0]),
        (["LISTEN_FDS": "0", "LISTEN_PID": own], [0, 0, 0]),
        (["LISTEN_FDS": "-1", "LISTEN_PID": own], [0, 0, 0]),
        (["LISTEN_FDS": "17", "LISTEN_PID": own], [0, 0, 0]),
        (["LISTEN_FDS": "16", "LISTEN_PID": own], [16, 0, 0]),
        (["LISTEN_FDS": "two", "LISTEN_PID": own], [0, 0, 0]),
        (["FERRY_HANDED_OVER": "\(own) 2"], [0, 0, 2]),
        (["LISTEN_FDS": "1", "LISTEN_PID": own, "FERRY_HANDED_OVER": "\(own) 1"], [1, 0, 1]),
        // What a process has inherited that is not the one that was meant.
        (["FERRY_HANDED_OVER": "1 2"], [0, 0, 0]),
        (["FERRY_HANDED_OVER": "\(own) 17"], [0, 0, 0]),
        (["FERRY_HANDED_OVER": "\(own) -1"], [0, 0, 0]),
        (["FERRY_HANDED_OVER": own], [0, 0, 0]),
        (["FERRY_HANDED_OVER": ""], [0, 0, 0]),
    ]

    @Test(arguments: environments)
    func `sockets are taken from whoever means this process`(
        _ environment: [String: String],
        _ expected: [Int32]
    ) {
        let counts = ListeningSockets.Counts(environment)
        #expect([counts.held, counts.fromClient, counts.handedOver] == expected)
    }

    @Test(arguments: [(0, 0), (0, 2), (1, 0), (1, 1)])
    func `what is passed on is understood by the program that takes the place`(
        _ held: Int,
        _ own: Int
    ) {
        let all = (0..<held + own).map { BoundSocket(path: "/\($0)", descriptor: 20 + Int32($0)) }
        let sockets = ListeningSockets(held: Array(all[..<held]), own: Array(all[held...]))
        let (descriptors, variables) = sockets.passedOn()
        let counts = ListeningSockets.Counts(variables)
        #expect(
            [counts.held, counts.fromClient, counts.handedOver] == [Int32(held), 0, Int32(own)]
        )
        for (index, socket) in all.enumerated() {
            #expect(descriptors[socket.descriptor] == 3 + Int32(index))
        }
    }
}
