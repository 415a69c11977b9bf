import FerryWire
import Testing

@testable import FerryDaemon

/// How few descriptors are divided.
@Suite(.timeLimit(.minutes(1))) struct DescriptorSharesTests {
    @Test(arguments: [48, 64, 128, 256, 512, 1024, 4096, 65_536, 1 << 20])
    func `REL-14: all shares together are less than the limit`(limit: Int) {
        let shares = DescriptorShares(limit: limit)
        let limits = shares.applied(to: VarlinkServer.Limits())
        let policy = shares.applied(to: DaemonPolicy())
        #expect(shares.problem == nil)
        let sum =
            26 + policy.maximumTransfers * 6 + limits.connectionCount
            + min(shares.keptFiles, 256) + limits.pendingFileCount
        #expect(sum <= limit, "\(sum)")
        #expect(policy.maximumTransfers >= 1)
        // A program needs two.
        #expect(limits.connectionCountPerProcess >= 2)
        #expect(limits.connectionCount >= limits.connectionCountPerProcess)
        #expect(limits.pendingFileCount >= 1)
    }

    @Test(arguments: [0, 26, 47])
    func `REL-14: too few descriptors for a transfer are a problem that says what to do`(
        limit: Int
    ) {
        let problem = DescriptorShares(limit: limit).problem
        #expect(problem?.contains("ulimit -n") == true)
        #expect(problem?.contains("may have \(limit)") == true)
    }

    @Test func `REL-14: the limit that Linux usually has changes nothing`() {
        for shares in [DescriptorShares(), DescriptorShares(limit: 524_288)] {
            #expect(shares.applied(to: VarlinkServer.Limits()) == VarlinkServer.Limits())
            #expect(shares.applied(to: DaemonPolicy()).maximumTransfers == 32)
            #expect(shares.keptFiles >= 256)
            #expect(shares.problem == nil && shares.notice == nil)
        }
    }

    @Test func `REL-14: a setting does not exceed what there are descriptors for`() throws {
        var options = try DaemonOptions.parse(["--maximum-transfers", "500"])
        options.shares = DescriptorShares(limit: 256)
        let settings = SettingsInForce(arguments: options.arguments)
        #expect(options.with(settings).policy.maximumTransfers == 18)
    }
}
