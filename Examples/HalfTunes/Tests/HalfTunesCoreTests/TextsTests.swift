import Foundation
import Testing

@testable import HalfTunesCore

struct TextsTests {
    private let english = Locale(identifier: "en_US")

    @Test(arguments: [
        (135_300, 1_100_000, "12.3% of 1.1 MB"),
        (0, 1_100_000, "0.0% of 1.1 MB"),
        (1_100_000, 1_100_000, "100.0% of 1.1 MB"),
        (500, 1_000, "50.0% of 1 kB"),
    ])
    func `progress is a share of a size`(received: Int64, total: Int64, text: String) {
        #expect(Texts.progress(received: received, of: total, locale: english) == text)
    }

    @Test
    func `numbers follow the language`() {
        let text = Texts.bytes(1_100_000, locale: Locale(identifier: "de_DE"))
        #expect(text == "1,1 MB")
    }

    @Test
    func `a text without a translation stays as it is, however long it is`() {
        for count in [1, 15, 16, 200] {
            let text = String(repeating: "x", count: count)
            #expect(localized(text) == text)
        }
    }

    @Test(arguments: [(0, "0:00"), (9, "0:09"), (245, "4:05"), (3_600, "60:00")])
    func `times are minutes and seconds`(seconds: Int, text: String) {
        #expect(Texts.time(.seconds(seconds)) == text)
    }
}
