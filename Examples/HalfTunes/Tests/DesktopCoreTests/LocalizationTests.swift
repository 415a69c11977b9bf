import DesktopCore
import Testing

struct LocalizationTests {
    @Test
    func `a text without a translation stays as it is, however long it is`() {
        for count in [1, 15, 16, 200] {
            let text = String(repeating: "x", count: count)
            #expect(localized(text) == text)
        }
    }

    @Test
    func `values take their places`() {
        #expect(localized("xx %2$@, %1$@", "one", "two") == "xx two, one")
    }
}
