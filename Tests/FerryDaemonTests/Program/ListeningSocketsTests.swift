import Glibc
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct ListeningSocketsTests {
    private static let own = "\(getpid())"

    private static let environments: [([String: String], Int32)] = [
        ([:], 0),
        (["LISTEN_FDS": "2", "LISTEN_PID": own], 2),
        (["LISTEN_FDS": "2", "FERRY_LISTEN_PID": "inherit"], 2),
        (["LISTEN_FDS": "2"], 0),
        (["LISTEN_FDS": "2", "LISTEN_PID": "1"], 0),
        (["LISTEN_FDS": "2", "FERRY_LISTEN_PID": "1"], 0),
        (["LISTEN_PID": own], 0),
        (["LISTEN_FDS": "0", "LISTEN_PID": own], 0),
        (["LISTEN_FDS": "-1", "LISTEN_PID": own], 0),
        (["LISTEN_FDS": "17", "LISTEN_PID": own], 0),
        (["LISTEN_FDS": "16", "LISTEN_PID": own], 16),
        (["LISTEN_FDS": "two", "LISTEN_PID": own], 0),
    ]

    @Test(arguments: environments)
    func `sockets are taken from whoever means this process`(
        _ environment: [String: String],
        _ count: Int32
    ) {
        #expect(ListeningSockets.inheritedCount(environment) == count)
    }

    @Test func `only systemd goes on listening when the daemon ends`() {
        #expect(ListeningSockets.areHeldBySystemd(["LISTEN_PID": Self.own]))
        #expect(!ListeningSockets.areHeldBySystemd(["FERRY_LISTEN_PID": "inherit"]))
        #expect(!ListeningSockets.areHeldBySystemd(["LISTEN_PID": "1"]))
        #expect(!ListeningSockets.areHeldBySystemd([:]))
    }
}
