import Foundation
import Testing

@testable import FerryCommand

/// What a Metalink file describes (RFC 5854).
@Suite(.timeLimit(.minutes(1))) struct MetalinkFileTests {
    private static let namespace = "urn:ietf:params:xml:ns:metalink"

    private func read(_ text: String) throws(DownloadList.Fault) -> [DownloadList.Entry] {
        try MetalinkFile(Array(text.utf8)).entries
    }

    private func metalink(_ content: String) -> String {
        "<?xml version=\"1.0\"?>\n<metalink xmlns=\"\(Self.namespace)\">\n\(content)</metalink>\n"
    }

    @Test func `mirrors are in the order of their priorities, and the strongest digest counts`()
        throws
    {
        let text = metalink(
            """
            <published>2026-11-24T18:00:00Z</published>
            <file name="debian/debian.iso">
              <size>1234</size>
              <hash type="md5">0123</hash>
              <hash type="sha-256">
                abcd
              </hash>
              <hash type="whirlpool">ff</hash>
              <pieces length="262144" type="sha-1"><hash>00</hash></pieces>
              <url location="de">https://third.example/a</url>
              <url priority="2">http://second.example/a?b=1&amp;c=2</url>
              <url priority="1">https://first.example/a</url>
              <url>ftp://ftp.example/a</url>
              <url>https://fourth.example/a</url>
              <metaurl mediatype="torrent">https://a.example/a.torrent</metaurl>
            </file>
            <file name="b"><url>HTTPS://b.example/b</url></file>

            """
        )
        let entries = try read(text)
        #expect(
            entries == [
                .init(
                    line: 4,
                    address: "https://first.example/a",
                    mirrors: [
                        "http://second.example/a?b=1&c=2", "https://third.example/a",
                        "https://fourth.example/a",
                    ],
                    name: "debian/debian.iso",
                    options: [.init(line: 4, name: "checksum", value: "sha-256=abcd")]
                ),
                .init(line: 19, address: "HTTPS://b.example/b", name: "b"),
            ]
        )
    }

    @Test func `names are those of the namespace, whatever its prefix`() throws {
        let text =
            "<m:metalink xmlns:m='\(Self.namespace)' xmlns:o='urn:other'><m:file name='a'>"
            + "<o:url>https://no.example</o:url><m:url>https://a.example</m:url></m:file></m:metalink>"
        #expect(try read(text).map(\.address) == ["https://a.example"])
    }

    @Test(
        arguments: [
            ("", 1, "it is no XML: no element found"),
            ("https://example.org/a\n", 1, "it is no XML: not well-formed (invalid token)"),
            ("<metalink>\n<file>", 2, "it is no XML: no element found"),
            ("<metalink/>", 1, "it describes no file in Metalink 4"),
            (
                "<metalink xmlns='http://www.metalinker.org/'><files><file name='a'/></files></metalink>",
                1, "it describes no file in Metalink 4"
            ),
            (
                "<!DOCTYPE a [<!ENTITY b 'c'>]>\n<metalink xmlns='\(namespace)'/>", 1,
                "a document type is not allowed"
            ),
            (
                "<metalink xmlns='\(namespace)'>\n<file name='a'><url>ftp://a</url></file></metalink>",
                2, "the file 'a' has no URL of http or https"
            ),
        ]
            + ["", "/etc/passwd", "../a", "a/../../b", "a//b", ".", "a/", "a&#10;b"].map { name in
                (
                    "<metalink xmlns='\(namespace)'><file name='\(name)'><url>http://a</url></file></metalink>",
                    1,
                    "the file name '\(name.replacing("&#10;", with: "\n"))' leads out of the directory"
                )
            } as [(String, Int, String)]
    )
    func `what cannot be used is refused with its line`(
        text: String,
        line: Int,
        message: String
    ) {
        let fault = #expect(throws: DownloadList.Fault.self) { try read(text) }
        #expect(fault == DownloadList.Fault(line: line, message: message))
    }

    @Test func `elements inside each other have a limit`() {
        let text = metalink(String(repeating: "<a>", count: 100))
        let fault = #expect(throws: DownloadList.Fault.self) { try read(text) }
        #expect(fault?.message == "its elements are too deep")
    }
}
