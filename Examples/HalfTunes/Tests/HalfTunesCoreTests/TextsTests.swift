import Foundation
import Testing

@testable import HalfTunesCore

struct TextsTests {
    @Test(arguments: [(0, "0:00"), (9, "0:09"), (245, "4:05"), (3_600, "60:00")])
    func `times are minutes and seconds`(seconds: Int, text: String) {
        #expect(Texts.time(.seconds(seconds)) == text)
    }
}
