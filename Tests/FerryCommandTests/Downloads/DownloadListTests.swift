import Ferry
import FerryTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryCommand

/// Lists of downloads.
@Suite(.timeLimit(.minutes(1))) struct DownloadListTests {
    private static let a = "https://example.org/a"
    private static let b = "https://example.org/b"

    private func entries(_ text: String) throws -> [DownloadList.Entry] {
        try DownloadList(Array(text.utf8)).entries
    }

    @Test(
        arguments: [
            "\(a)\n\(b)\n", "\(a)\n\(b)", "\(a)\r\n\(b)\r\n", "\(a)\r\(b)\r",
            "\u{FEFF}\(a)\n\(b)\n", "\(a)\n\u{FEFF}\(b)\n",
            "\u{FEFF}\u{FEFF}\(a)\r\n\u{FEFF}#\r\n\u{FEFF}\(b)\r\n",
            " \(a)\n\t\(b)\n", "# music\n\(a)\n\n   \n\t\n#\n\(b)\n", "\(a)  \n\(b)\t\n",
            "\n\n\(a)\n  # why\n\(b)\n\n", "\r\u{FEFF}\r\(a)\n\u{B}\u{FEFF}\(b)\n",
            "\r\n\(a)\n\u{FEFF}\u{B}#\n\u{FEFF} \(b)\n",
        ]
    )
    func `a list has a URL in each line, whatever the system and the program that made it`(
        text: String
    ) throws {
        #expect(try entries(text).map(\.address) == [Self.a, Self.b])
    }

    @Test func `an empty list has nothing`() throws {
        #expect(try entries("").isEmpty)
        #expect(try entries("# nothing\n").isEmpty)
    }

    @Test func `a tab parts a URL from the file's name, and from other URLs of the file`() throws {
        #expect(
            try entries("\(Self.a)\tmy file.iso\n\(Self.a)\t\(Self.b)\n\(Self.a)\t\tx\t\(Self.b)\n")
                == [
                    .init(line: 1, address: Self.a, name: "my file.iso"),
                    .init(line: 2, address: Self.a, mirrors: [Self.b]),
                    .init(line: 3, address: Self.a, mirrors: [Self.b], name: "x"),
                ]
        )
    }

    @Test(arguments: ["-", " --  ", "=a", "- - =a"])
    func `an option without a name is invalid`(text: String) {
        #expect(throws: DownloadList.Fault(line: 2, message: "the option has no name")) {
            try entries("\(Self.a)\n  \(text)\n")
        }
    }

    @Test func `line breaks of another system are no part of a URL`() throws {
        let all = try entries("\r\r\(Self.a)\t\r\(Self.b)\r\n")
        #expect(all == [.init(line: 1, address: Self.a, mirrors: [Self.b])])
    }

    @Test func `lines that begin with a blank are options of the URL before them`() throws {
        let text = "\(Self.a)\n  out=a = b\n\theader=X: 1\n --keep-awake\n\n  dir=/tmp\n\(Self.b)\n"
        #expect(
            try entries(text) == [
                .init(
                    line: 1,
                    address: Self.a,
                    options: [
                        .init(line: 2, name: "out", value: "a = b"),
                        .init(line: 3, name: "header", value: "X: 1"),
                        .init(line: 4, name: "keep-awake", value: nil),
                        .init(line: 6, name: "dir", value: "/tmp"),
                    ]
                ),
                .init(line: 7, address: Self.b),
            ]
        )
    }

    @Test func `a line that is invalid is named`() {
        #expect(
            throws: DownloadList.Fault(line: 2, message: "an option comes before the first URL")
        ) {
            try entries("# list\n out=a\n\(Self.a)\n")
        }
        #expect(throws: DownloadList.Fault(line: 2, message: "it is not UTF-8")) {
            try DownloadList(Array("\(Self.a)\n".utf8) + [0x68, 0xff, 0x0a])
        }
        #expect(
            throws: DownloadList.Fault(line: 1, message: "there are two names, 'y' is the second")
        ) {
            try entries("\(Self.a)\tx\ty\n")
        }
    }
}

/// `ferry get` with lists, ranges and sets.
@Suite(.timeLimit(.minutes(1))) struct DownloadSourceTests {
    private static let a = "https://example.org/a"
    private static let b = "https://example.org/b"

    private let directory: TemporaryDirectory
    private let daemon = PlayedDaemon(isSteady: true)
    private let saved = Outcome.saved(path: "/tmp/a.iso", byteCount: 1000)

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func get(
        _ line: String,
        list: String? = nil,
        input: String = "",
        _ sessions: PlayedSessions
    ) async throws -> CommandLineRun {
        let file = try list.map { try directory.write($0, to: "list") }
        return await CommandLineRun(
            "get -d \(directory.path) \(line) \(file.map { "-i \($0)" } ?? "")",
            daemon: daemon,
            sessions: sessions,
            input: input
        )
    }

    private func sessions(_ count: Int) -> PlayedSessions {
        PlayedSessions(Array(repeating: saved, count: count), in: daemon)
    }

    @Test func `operands and lists are downloaded in their order`() async throws {
        let sessions = sessions(4)
        let run = try await get(
            "-i - https://example.org/{1,2}",
            list: "\(Self.a)\n",
            input: "\(Self.b)\r\n",
            sessions
        )
        #expect(
            run.error.split(separator: "\n").map { $0.prefix(9) }
                == ["1", "2", "b", "a"].map { "ferry: \($0):" }
        )
        #expect(
            sessions.requests.map { $0.url?.absoluteString } == [
                "https://example.org/1", "https://example.org/2", Self.b, Self.a,
            ]
        )
        #expect(run.code == .success)
    }

    @Test func `an empty list is no failure`() async throws {
        let sessions = sessions(0)
        let run = try await get("-i -", input: "# nothing\n", sessions)
        #expect(run.code == .success)
        #expect(run.error == "")
        #expect(sessions.requests.isEmpty)
    }

    @Test func `names, directories and options of a list's line hold for it alone`() async throws {
        let sessions = sessions(3)
        let list = """
            \(Self.a)
              out=x y.iso
              dir=\(directory.path)/sub/other
              checksum=sha-256=\(String(repeating: "0", count: 64))
              max-tries=3
              split=2
              header=X-Own: 1
              keep-awake=true
            \(Self.b)\tname
            \(Self.a)\t\(Self.b)

            """
        _ = try await get("-H X-All:1 --retries 9", list: list, sessions)
        #expect(sessions.destinations.map(\.name) == ["x y.iso", "name", nil])
        #expect(
            sessions.destinations.map(\.directory)
                == ["\(directory.path)/sub/other", directory.path, directory.path]
        )
        #expect(sessions.options.map { $0.retry?.maximumAttempts } == [3, 9, 9])
        #expect(
            sessions.options.map(\.destinationDirectory?.path)
                == sessions.destinations.map(\.directory)
        )
        #expect(sessions.options.map(\.expectedDigests.count) == [1, 0, 0])
        #expect(sessions.options.map(\.maximumConnectionsPerDownload) == [2, nil, nil])
        #expect(sessions.options.map(\.keepsMachineAwake) == [true, false, false])
        #expect(sessions.options.map { $0.mirrors.map(\.absoluteString) } == [[], [], [Self.b]])
        #expect(sessions.requests.map { $0.value(forHTTPHeaderField: "X-All") } == ["1", "1", "1"])
        #expect(sessions.requests.map { $0.value(forHTTPHeaderField: "X-Own") } == ["1", nil, nil])
    }

    @Test(
        arguments: [
            ("\(a)\nexample.org\n", "line 2: 'example.org' is no http or https URL."),
            ("\(a)\n  out=../x\n", "line 1: '"),
            ("\(a)\n  dir=/etc\n", "line 1: '/etc' is not below '"),
            ("\(a)\t/etc/x\n", "line 1: '/etc' is not below '"),
            ("\(a)\n  data=@/etc/passwd\n", "line 2: a download in a list has no option 'data'."),
            (
                "\(a)\n  cookie=/etc/passwd\n",
                "line 2: a download in a list has no option 'cookie'."
            ),
            ("\(a)\n  overwrite\n", "line 2: a download in a list has no option 'overwrite'."),
            (
                "\(a)\n  header: Authorization: Bearer secret\n",
                "line 2: a download in a list has no option 'header'."
            ),
            ("\(a)\n  gzip=yes\n", "line 2: a download in a list has no option 'gzip'."),
            ("\(a)\n  proxy=http://p\n", "line 2: a download in a list has no option 'proxy'."),
            ("\(a)\n  keep-awake=maybe\n", "line 2: 'keep-awake' is true or false, not 'maybe'."),
            ("\(a)\n  out\n", "line 2: 'output' needs a value: output=PATH."),
            (
                "\(a)\n\(b)\n  split=99\n",
                "line 2: --connections takes a number from 1 to 16, not '99'."
            ),
            ("\(a)\t..\n", "line 1: --output needs a file's name, not '..'."),
            ("  out=a\n", "line 1: an option comes before the first URL."),
        ]
    )
    func `nothing is downloaded of a list with an invalid line`(
        list: String,
        message: String
    ) async throws {
        let sessions = sessions(0)
        let run = try await get("", list: list, sessions)
        #expect(run.error.hasPrefix("ferry: '\(directory.path)/list', \(message)"))
        #expect(run.code == .usage)
        #expect(sessions.events == [])
    }

    @Test func `a line may do without what the command line says`() async throws {
        let sessions = sessions(2)
        let list = "\(Self.a)\n  keep-awake=false\n\(Self.b)\n"
        _ = try await get("--keep-awake", list: list, sessions)
        #expect(sessions.options.map(\.keepsMachineAwake) == [false, true])
    }

    private static func cookies(of sessions: PlayedSessions) -> [String] {
        sessions.options.map { options in
            options.cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        }
    }

    @Test func `a file of cookies that can be read once is for operands and lists`() async throws {
        let pipe = directory.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let writer = Thread {
            try? Data("example.org\tFALSE\t/\tFALSE\t0\ta\tb\n".utf8).write(to: URL(filePath: pipe))
        }
        writer.start()
        let sessions = sessions(2)
        _ = try await get("-b \(pipe) \(Self.a)", list: "\(Self.b)\n  out=x\n", sessions)
        #expect(Self.cookies(of: sessions) == ["a=b", "a=b"])
    }

    @Test func `an option of one file is none of a list`() async throws {
        for option in [
            "-o x", "--mirror \(Self.b)", "--checksum md5=\(String(repeating: "0", count: 32))",
        ] {
            let run = try await get(option, list: "\(Self.a)\n\(Self.b)\n", sessions(0))
            #expect(run.code == .usage, "\(option)")
        }
    }

    @Test func `each file has to have the digest that a list has for it`() async throws {
        let digits = String(repeating: "0a", count: 32)
        let sums = try directory.write("\(digits)  a\n\(digits)  b\n", to: "SHA256SUMS")
        let sessions = sessions(2)
        _ = try await get("--checksums \(sums) \(Self.a)", list: "\(Self.b)\n", sessions)
        #expect(
            sessions.options.map { $0.expectedDigests.map(\.algorithm) } == [[.sha256], [.sha256]]
        )
        let missing = try await get("--checksums \(sums) https://example.org/c", self.sessions(0))
        #expect(missing.error.hasPrefix("ferry: the list of checksums has none of 'c'.\n"))
        let empty = try directory.write("<html>", to: "none")
        let none = try await get("--checksums \(empty) \(Self.a)", self.sessions(0))
        #expect(none.error.hasPrefix("ferry: '\(empty)' has no checksums in it.\n"))
        #expect(none.code == .usage)
    }

    @Test func `--data is sent by POST, as a form unless a field says otherwise`() async throws {
        let sessions = sessions(4)
        let file = try directory.write("{}", to: "body")
        _ = try await get("--data a=1&b=2 \(Self.a)", sessions)
        _ = try await get(
            "--data @\(file) -X PUT -H Content-Type:application/json \(Self.a)",
            sessions
        )
        _ = try await get("-X DELETE \(Self.a)", sessions)
        _ = try await get("--data a --data b --retries 3 \(Self.a)", sessions)
        #expect(sessions.options.map { $0.retry?.maximumAttempts } == [1, 1, nil, 3])
        #expect(sessions.requests.map(\.httpMethod) == ["POST", "PUT", "DELETE", "POST"])
        #expect(
            sessions.requests.map { $0.httpBody.map { String(decoding: $0, as: UTF8.self) } } == [
                "a=1&b=2", "{}", nil, "a&b",
            ]
        )
        #expect(
            sessions.requests.map { $0.value(forHTTPHeaderField: "Content-Type") }
                == [
                    "application/x-www-form-urlencoded", "application/json", nil,
                    "application/x-www-form-urlencoded",
                ]
        )
    }

    @Test func `cookies and logins of files go to the servers that they are for`() async throws {
        let cookies = try directory.write(
            "example.org\tFALSE\t/\tFALSE\t0\tsid\tabc\n",
            to: "cookies"
        )
        let netrc = try directory.write(
            "machine example.org login me password secret\n",
            to: "netrc"
        )
        let sessions = sessions(3)
        _ = try await get(
            "-b \(cookies) --netrc-file \(netrc) \(Self.a) https://example.com/",
            sessions
        )
        _ = try await get("-b a=b;c=d --netrc-file \(netrc) -u you:x \(Self.a)", sessions)
        #expect(Self.cookies(of: sessions) == ["sid=abc", "", ""])
        #expect(
            sessions.requests.map { $0.value(forHTTPHeaderField: "Cookie") }
                == [nil, nil, "a=b;c=d"]
        )
        #expect(
            sessions.requests.map { $0.value(forHTTPHeaderField: "Authorization") }
                == ["Basic bWU6c2VjcmV0", nil, "Basic eW91Ong="]
        )
    }

    @Test func `files of a range have names by what the range stands for`() async throws {
        let sessions = sessions(4)
        _ = try await get("-o #1/page-#2.png https://example.org/{x,y}/[09-10]", sessions)
        #expect(
            sessions.destinations.map { "\($0.directory)/\($0.name ?? "")" }
                == ["x/page-09.png", "x/page-10.png", "y/page-09.png", "y/page-10.png"]
                .map { "\(directory.path)/\($0)" }
        )
    }

    @Test func `--globoff takes brackets as they are`() async throws {
        let sessions = sessions(1)
        _ = try await get("-g https://example.org/{a,b}[1-2]", sessions)
        #expect(
            sessions.requests.map { $0.url?.absoluteString }
                == ["https://example.org/%7Ba,b%7D%5B1-2%5D"]
        )
    }

    @Test
    func `ferryd's settings say how many files a server sends at a time, unless the command does`()
        async throws
    {
        let sessions = sessions(2)
        _ = try await get(Self.a, sessions)
        _ = try await get("--per-host 2 \(Self.a)", sessions)
        #expect(
            sessions.sessionOptions.map { $0.configuration(of: "x").httpMaximumConnectionsPerHost }
                == [1000, 2]
        )
    }

    @Test(
        arguments: [
            ("-A Mozilla/5.0", "User-Agent", "Mozilla/5.0"),
            ("-e https://example.org/page", "Referer", "https://example.org/page"),
            ("-u me:secret:2", "Authorization", "Basic bWU6c2VjcmV0OjI="),
            ("-u me:", "Authorization", "Basic bWU6"),
            ("-A a -H User-Agent:b", "User-Agent", "b"), ("-A a -A b", "User-Agent", "b"),
        ]
    )
    func `options of a request become its fields`(
        line: String,
        field: String,
        value: String
    ) async throws {
        let sessions = sessions(1)
        _ = try await get("\(line) \(Self.a)", sessions)
        #expect(sessions.requests.map { $0.value(forHTTPHeaderField: field) } == [value])
    }
}
