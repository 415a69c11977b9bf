import FerryTestSupport
import FerryWire
import FoundationEssentials
import Testing

/// A task of a real app for each condition that it can avoid.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SingleConditionsEndToEndTests {
    private let setting: ConditionsSetting

    init() async throws { setting = try await ConditionsSetting() }

    /// What a session says, and a condition that it does not want.
    struct Wish: CustomTestStringConvertible {
        let arguments: [String]
        let begin: MockedServices.Value
        let end: MockedServices.Value
        let reason: Wire.WaitReason
        let detail: String

        init(
            _ arguments: [String],
            _ begin: MockedServices.Value,
            _ end: MockedServices.Value,
            _ reason: Wire.WaitReason,
            _ detail: String
        ) {
            self.arguments = arguments
            self.begin = begin
            self.end = end
            self.reason = reason
            self.detail = detail
        }

        var testDescription: String { "\(arguments[1]), \(begin)" }

        static let discretionary = ["--discretionary", "yes"]
        static let all = [
            Wish(
                discretionary,
                .onBattery(true),
                .onBattery(false),
                .battery,
                "the machine runs on battery"
            ),
            Wish(
                discretionary,
                .profile("power-saver"),
                .profile("balanced"),
                .powerSaver,
                "the machine saves power"
            ),
            Wish(
                discretionary,
                .metered(3),
                .metered(4),
                .expensiveNetwork,
                "the network is metered"
            ),
            Wish(
                ["--avoid", "constrained-network"],
                .metered(1),
                .metered(3),
                .constrainedNetwork,
                "the network is to carry few bytes"
            ),
            Wish(
                ["--avoid", "cellular-network"],
                .connectionType("gsm"),
                .connectionType("802-11-wireless"),
                .cellularNetwork,
                "the network is cellular"
            ),
        ]
    }

    @Test(arguments: Wish.all)
    func `BG-22, allowsCellularAccess and the like: a task waits, says why, and goes on`(
        wish: Wish
    ) async throws {
        let song = setting.songs(1, "song")[0]
        song.serve(song.answer)
        try await setting.services.set(wish.begin)
        var watch = try TaskWatch(of: setting.home)
        let app = try await setting.start([song], wish.arguments)
        try await watch.until { $0.count { $0.waits(wish.reason, wish.detail) } == 1 }
        try await setting.expectNothingIsLoaded(of: [song])
        #expect(song.requests.isEmpty)
        try await setting.services.set(wish.end)
        await setting.expectCompletions(1)
        await app.killed()
        try setting.expectFile(song.name, song.content)
    }

    @Test func `whoever watches a task that waits is told of each new reason`() async throws {
        let song = setting.songs(1, "song")[0]
        song.serve(song.answer)
        try await setting.services.set(.onBattery(true))
        var watch = try TaskWatch(of: setting.home)
        let app = try await setting.start([song], Wish.discretionary)
        try await watch.until { $0.last?.waits(.battery, "the machine runs on battery") == true }
        try await setting.services.set(.metered(3))
        try await watch.until { tasks in
            tasks.last?.waits(.expensiveNetwork, "the network is metered; the machine runs on")
                == true
        }
        try await setting.services.set(.onBattery(false))
        try await watch.until { $0.last?.wait?.detail == "the network is metered" }
        #expect(song.requests.isEmpty)
        try await setting.services.set(.metered(4))
        await setting.expectCompletions(1)
        await app.killed()
    }

    @Test func `BG-22: a discretionary task waits for the hours that its user has set`()
        async throws
    {
        let song = setting.songs(1, "song")[0]
        song.serve(song.answer)
        // Twelve hours from now.
        let date = try await TestProcess.run("/bin/date", ["-u", "+%H"], environment: [:]).output
        let hour = try #require(Int(date.filter(\.isNumber)))
        let hours = "\((hour + 11) % 24):00-\((hour + 13) % 24):00"
        try await setting.ferry(["limit", "daily", hours, "discretionary"])
        var watch = try TaskWatch(of: setting.home)
        let app = try await setting.start([song], Wish.discretionary)
        let detail = "this is not an hour for discretionary transfers"
        try await watch.until { tasks in
            tasks.count { $0.waits(.outsideHours, detail) && $0.wait?.until != nil } == 1
        }
        try await setting.expectNothingIsLoaded(of: [song])
        #expect(song.requests.isEmpty)
        try await setting.ferry(["limit", "--remove", "1"])
        await setting.expectCompletions(1)
        await app.killed()
        try setting.expectFile(song.name, song.content)
    }

    @Test func `BG-22: a task that an app begins in the background is discretionary`() async throws
    {
        let songs = setting.songs(2, "song")
        let gate = FixtureGate()
        songs[0].serve(songs[0].answer.stalling(after: 1, at: gate))
        songs[1].serve(songs[1].answer)
        let next = "\(setting.home.path)/next"
        try Data(songs[1].url.utf8).write(to: URL(filePath: next))
        try await setting.services.set(.onBattery(true))
        var watch = try TaskWatch(of: setting.home)
        let app = try await setting.start([songs[0]], ["--next-file", next])
        try await watch.until { $0.count { $0.receivedByteCount > 0 } == 1 }
        await app.killed()
        // What the app has begun while its user looked on is not.
        gate.open()
        try await watch.until {
            $0.last?.waits(.battery, "the machine runs on battery") == true
        }
        // Its number is not known before, as the app has not waited for its session to open.
        let created = await setting.events.next {
            $0.hasPrefix("created ") && $0 != "created 1"
        }
        let number = created.dropFirst("created ".count)
        try await setting.expectNothingIsLoaded(of: [songs[1]])
        #expect(songs[1].requests.isEmpty)
        try await setting.services.set(.onBattery(false))
        #expect(
            await setting.events.next("completed \(number)") == "completed \(number) ok"
        )
        for song in songs { try setting.expectFile(song.name, song.content) }
    }
}
