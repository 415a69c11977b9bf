import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(1)))
struct BusAddressTests {
    @Test(arguments: [
        ("unix:path=/run/bus", "unix:path=/run/bus"),
        ("tcp:host=a;unix:path=/b,guid=1;unixexec:path=/c", "unix:path=/b,guid=1"),
        ("unix:abstract=/tmp/x;unix:path=/y", "unix:abstract=/tmp/x;unix:path=/y"),
        ("autolaunch:", ""),
        ("", ""),
    ])
    func `only sockets of this machine are kept of an address`(text: String, kept: String) {
        #expect(BusAddress(text).text == kept)
    }

    @Test func `a path is escaped as the specification requires`() {
        #expect(BusAddress.escape("/run/user/1000") == "/run/user/1000")
        #expect(BusAddress.escape("/a b/ü,;=%\n") == "/a%20b/%c3%bc%2c%3b%3d%25%0a")
    }
}
