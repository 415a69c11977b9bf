import DesktopCore
import Foundation
import Testing

struct FileNameTests {
    @Test(arguments: [
        ("https://host/a/..%2F..%2Fetc%2Fpasswd", "_.._etc_passwd"),
        ("https://host/.hidden", "hidden"),
        ("https://host/..", "download"),
        ("https://host", "download"),
        ("https://host/a.m4a", "a.m4a"),
    ])
    func `an address cannot name another directory`(url: String, name: String) throws {
        #expect(FileName.of(try #require(URL(string: url))) == name)
    }
}
