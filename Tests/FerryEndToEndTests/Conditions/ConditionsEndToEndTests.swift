import FerryTestSupport
import FerryWire
import Synchronization
import Testing

/// Many transfers of a real ferryd, and a network that becomes metered.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ConditionsEndToEndTests {
    private let setting: ConditionsSetting

    init() async throws { setting = try await ConditionsSetting() }

    @Test
    func `twenty transfers stop when the network becomes metered, and go on when it no longer is`()
        async throws
    {
        let songs = setting.songs(20, "song")
        // Half of them are in full flow, the others have come to a halt where it is known to the byte.
        let (silent, flowing) = (songs.prefix(10), songs.suffix(10))
        let held = ConditionsSetting.byteCount / 3
        for song in silent {
            song.serve(song.answer.stalling(after: held, at: FixtureGate()), song.answer)
        }
        let rate: Int64 = 20_000
        for song in flowing { song.serve(song.answer.paced(bytesPerSecond: rate), song.answer) }
        var watch = try TaskWatch(of: setting.home)
        let app = try await setting.start(songs, ["--avoid", "expensive-network"])
        try await watch.until { tasks in
            tasks.count { $0.state == .running && $0.receivedByteCount == held } == 10
                && tasks.count { $0.state == .running && $0.receivedByteCount > 0 } == 20
        }
        try await setting.services.set(.metered(1))
        try await watch.until { tasks in
            tasks.count { $0.waits(.expensiveNetwork, "the network is metered") } == 20
        }
        try await setting.expectNothingIsLoaded(of: songs)
        let list = try await setting.ferry(["list"]).split(separator: "\n")
        #expect(list.count { $0.contains("waiting: the network is metered") } == 20)
        try await setting.services.set(.metered(2))
        await setting.expectCompletions(20)
        await app.killed()
        for song in songs { try setting.expectFile(song.name, song.content) }
        for song in silent {
            #expect(song.requests.map(\.range) == [nil, "bytes=\(held)-"])
            #expect(song.byteCounts == [held, ConditionsSetting.byteCount - held])
        }
        for song in flowing {
            #expect(song.requests.count == 2)
            #expect(song.requests.last?.range?.hasPrefix("bytes=") == true)
            // What was on its way when the connection was closed is sent again.
            #expect(song.byteCounts.reduce(0, +) <= ConditionsSetting.byteCount + rate)
        }
    }

    @Test func `a thousand changes of the network cost no byte, no descriptor and nobody's turn`()
        async throws
    {
        let (gate, lastGate) = (FixtureGate(), FixtureGate())
        let songs = setting.songs(8, "song")
        let others = setting.songs(8, "other")
        // None is complete before the changes are over, however often it goes on.
        for song in songs { song.serve(song.answer.stalling(after: 100, at: gate)) }
        for song in others { song.serve(song.answer.stalling(after: 100, at: lastGate)) }
        let free = setting.songs(1, "free")[0]
        free.serve(free.answer)
        var watch = try TaskWatch(of: setting.home)
        try await setting.get(songs)
        try await watch.until { $0.count { $0.receivedByteCount > 0 } == 8 }
        let descriptors = try setting.descriptorCount
        // The network changes until somebody else has had a turn, twice.
        let isServed = Mutex(false)
        async let changes: Int = {
            var count = 0
            repeat {
                try await setting.services.alternate(100, .metered(1), and: .metered(2))
                count += 100
            } while count < 1000 || !isServed.withLock { $0 }
            return count
        }()
        for _ in 1...2 { try await setting.ferry(["get", "-d", setting.home.files, free.url]) }
        isServed.withLock { $0 = true }
        let count = try await changes
        // Changes that come while one is followed are one.
        #expect(songs.allSatisfy { $0.requests.count < count / 4 })
        gate.open()
        try await watch.until(\.isEmpty)
        for song in songs {
            try setting.expectFile(song.name, song.content)
            #expect(song.requests.dropFirst().allSatisfy { $0.range != nil })
        }
        try await setting.get(others)
        try await watch.until { $0.count { $0.receivedByteCount > 0 } == 8 }
        // Nothing tells when ferryd has noticed that a command is gone. Two more may be there by then: that of the
        // command here, and the one to logind, which ferryd asks to delay sleep when transfers have run for a second.
        while try setting.descriptorCount > descriptors + 2 { try await setting.ferry(["list"]) }
    }
}
