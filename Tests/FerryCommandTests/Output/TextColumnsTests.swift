import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(5))) struct TextColumnsTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("naïve", 5), ("e\u{301}", 1), ("日本", 4), ("한글", 4), ("🚢", 2),
        ("ｶﾅ", 2), ("Ａ", 2),
    ])
    func `wide characters take two columns`(text: String, columns: Int) {
        #expect(text.columnCount == columns)
    }

    @Test(arguments: [
        (8, "a-lo…ame"), (7, "a-l…ame"), (2, "a-"), (1, "a"), (0, ""), (11, "a-long-name"),
    ])
    func `what does not fit is left out in the middle`(columns: Int, shortened: String) {
        #expect("a-long-name".shortened(toColumns: columns, ellipsis: "…") == shortened)
    }

    @Test(arguments: 0...12)
    func `a shortened text never takes more columns than there are`(columns: Int) {
        for text in ["日本語のファイル.iso", "plain-name.iso", "🚢🚢🚢🚢🚢🚢🚢"] {
            #expect(text.shortened(toColumns: columns).columnCount <= columns, "\(text)")
        }
    }

    @Test func `only printable ASCII is plain, wherever something else stands`() {
        #expect("".isPlain())
        for count in 0..<40 {
            let text = String(repeating: " ", count: count)
            #expect((text + "~").isPlain())
            #expect((text + "\n~").isPlain(besides: UInt8(ascii: "\n")))
            for other in ["\u{0}", "\u{1F}", "\u{7F}", "\u{80}", "é", "\n"] {
                #expect(!(text + other + "~").isPlain(), "\(count)")
            }
        }
    }

    @Test(arguments: ["\u{1B}[2J", "a\nb", "txt.\u{202E}exe", "\u{9B}31m", "a\u{2028}b", "\u{7}"])
    func `nothing that a terminal obeys is left in shown text`(text: String) {
        #expect(!text.printable.unicodeScalars.contains { $0.isInvisible })
        #expect(text.printable.contains("\u{FFFD}"))
    }

    @Test func `other text is shown as it is`() {
        #expect("naïve 日本 🚢".printable == "naïve 日本 🚢")
    }

    @Test(arguments: [
        ("plain-1.2_x/y:z=%40+a,b@c", "plain-1.2_x/y:z=%40+a,b@c"), ("", "''"), ("a b", "'a b'"),
        ("it's", "'it'\\''s'"), ("$HOME", "'$HOME'"), ("ü", "'ü'"),
    ])
    func `words are quoted as a shell reads them back`(word: String, quoted: String) {
        #expect(word.shellQuoted == quoted)
    }
}
