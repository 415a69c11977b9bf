import DesktopCore
import Foundation
import Testing

struct FiguresTests {
    private let english = Locale(identifier: "en_US")

    @Test(arguments: [
        (135_300, 1_100_000, "12.3% of 1.1 MB"),
        (0, 1_100_000, "0.0% of 1.1 MB"),
        (1_100_000, 1_100_000, "100.0% of 1.1 MB"),
        (500, 1_000, "50.0% of 1 kB"),
    ])
    func `progress is a share of a size`(received: Int64, total: Int64, text: String) {
        #expect(Figures.progress(received: received, of: total, locale: english) == text)
    }

    @Test
    func `numbers follow the language`() {
        let text = Figures.bytes(1_100_000, locale: Locale(identifier: "de_DE"))
        #expect(text == "1,1 MB")
    }

    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], "de_DE"),
        (["LANG": "de_DE.UTF-8", "LC_NUMERIC": "vi_VN", "LC_ALL": ""], "vi_VN"),
        (["LANG": "vi_VN", "LC_NUMERIC": "vi_VN", "LC_ALL": "de_DE@euro"], "de_DE"),
        (["LANG": "C.UTF-8"], Locale.current.identifier),
        ([:], Locale.current.identifier),
    ])
    func `the customs are those of the environment`(
        environment: [String: String],
        identifier: String
    ) {
        #expect(Figures.locale(in: environment).identifier == identifier)
    }
}
