import FerrySystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct PublicSuffixesTests {
    @Test(arguments: [
        ("com", true), ("localhost", true), ("co.uk", true), ("github.io", true), ("foo.ck", true),
        ("www.ck", false), ("example.com", false), ("example.co.uk", false), ("a.b.test", false),
        ("user.github.io", false), ("x.kobe.jp", true), ("city.kobe.jp", false),
    ])
    func `REL-19: public suffixes, of several words too`(domain: String, isSuffix: Bool) {
        // libcurl brings the list on Debian, where the tests run.
        #expect(PublicSuffixes.contains(domain) == isSuffix)
    }
}
