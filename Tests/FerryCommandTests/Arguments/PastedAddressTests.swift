import Ferry
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// Addresses as people have them from lists, mails and pages.
@Suite(.timeLimit(.minutes(1))) struct PastedAddressTests {
    /// What is pasted, and the address that it stands for; nil for none.
    static let addresses: [(String, String?)] = [
        ("https://example.org/a", "https://example.org/a"),
        ("https://example.org/a\r", "https://example.org/a"),
        ("https://example.org/a\r\n", "https://example.org/a"),
        ("https://example.org/a\n", "https://example.org/a"),
        (" \thttps://example.org/a \t", "https://example.org/a"),
        ("\u{B}\u{C}https://example.org/a\u{B}\u{C}", "https://example.org/a"),
        ("\u{A0}https://example.org/a\u{A0}", "https://example.org/a"),
        ("\u{FEFF}https://example.org/a", "https://example.org/a"),
        ("https://example.org/a\u{200B}", "https://example.org/a"),
        ("\u{200E}https://example.org/a\u{202C}", "https://example.org/a"),
        ("\u{2028}https://example.org/a\u{2029}", "https://example.org/a"),
        ("\0https://example.org/a", "https://example.org/a"),
        ("<https://example.org/a>", "https://example.org/a"),
        (" <https://example.org/a>\r\n", "https://example.org/a"),
        ("< https://example.org/a >", "https://example.org/a"),
        ("https://example.org/a b", "https://example.org/a%20b"),
        ("https://example.org/a?b=<c>", "https://example.org/a?b=%3Cc%3E"),
        ("https://example.org/a\nb", nil), ("https://example.org/\u{200B}a", nil),
        ("https://example.org/a\tb", nil), ("https://a/\r\nhttps://b/", nil), ("", nil),
        (" \r\n", nil), ("<>", nil), ("< >", nil),
    ]

    @Test(arguments: addresses)
    func `HTTP-7: what surrounds an address is not part of it`(
        text: String,
        address: String?
    ) throws {
        let arguments = Arguments()
        guard let address else {
            #expect(throws: UsageError.self) { try arguments.webAddress(text) }
            return
        }
        #expect(try arguments.webAddress(text).absoluteString == address)
    }

    @Test(arguments: ["relink \u{FEFF}http://a/b\r 1", "relink <http://a/b> 1"])
    func `HTTP-7: the same holds for relink`(line: String) async throws {
        let daemon = try PlayedDaemon.sample()
        let run = await CommandLineRun(line, daemon: daemon)
        #expect(daemon.calls == ["relink to http://a/b 1"])
        #expect(run.code == .success)
    }

    @Test func `HTTP-7: the same holds for mirrors and proxies`() throws {
        let words = [
            "get", "--mirror", "http://b/\r", "--proxy", "http://proxy:3128\r\n", "http://a/\r",
        ]
        guard case .run(_, let arguments) = try ArgumentParser.parse(words, root: Program.syntax)
        else {
            Issue.record("it runs nothing")
            return
        }
        _ = try GetCommand(arguments)
        let choice = try ConnectionChoice(arguments)
        let configuration = URLSessionConfiguration.ephemeral
        choice.apply(to: configuration, in: [:])
        #expect(configuration.connectionEnvironment?["http_proxy"] == "http://proxy:3128")
    }
}

/// What pages show as output is what the command writes.
@Suite(.timeLimit(.minutes(1))) struct ShownOutputTests {
    private static let readme = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }.appending(path: "README.md")

    @Test func `USE-12: the output in the README is that of the command, in 80 columns`()
        async throws
    {
        let page = try String(contentsOf: Self.readme, encoding: .utf8).split(separator: "\n")
        let size = TerminalSize(columns: 80, rows: 24)
        var row = TransferRow(
            id: TransferRow.ID(application: "ferry", session: "s", taskIdentifier: 1),
            name: "debian.iso",
            url: "https://example.org/debian.iso"
        )
        row.become(.running)
        row.progress(received: 283 << 20, expected: 640 << 20, at: .zero)
        row.progress(received: 295 << 20, expected: 640 << 20, at: .seconds(1))
        let lines = ProgressBoard([row], alphabet: .unicode).lines(for: size, at: .seconds(1))
        for line in lines { #expect(page.contains { $0 == line }, "\(line)") }
        var transfer = try TransferDaemon.Transfer.sample(
            12,
            application: "ferry",
            url: "https://example.org/debian.iso",
            received: 333 << 20,
            expected: 640 << 20
        )
        transfer.bytesPerSecond = 12 << 20
        let list = await CommandLineRun(
            "list",
            daemon: PlayedDaemon(transfers: [transfer]),
            outputSize: size
        )
        for line in list.output.split(separator: "\n") { #expect(page.contains(line), "\(line)") }
    }
}
