import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// What becomes of the moments that the daemon keeps when somebody sets the clock.
@Suite(.timeLimit(.minutes(1))) struct ClockTests {
    private static let day: Double = 86400
    private static let boot = BootIdentifier(rawValue: "first")
    private static let laterBoot = BootIdentifier(rawValue: "second")

    private static func clock(
        _ anchor: ClockAnchor? = nil,
        boot: BootIdentifier = boot,
        wall: Double,
        sinceBoot: Double
    ) -> DaemonClock {
        DaemonClock(continuing: anchor, boot: boot, wall: moment(wall), sinceBoot: sinceBoot)
    }

    // MARK: The clock

    @Test(arguments: [-day, day]) func `REL-5: the daemon's time goes on evenly while a boot lasts`(
        change: Double
    ) {
        var clock = Self.clock(wall: 0, sinceBoot: 100)
        #expect(clock.now(sinceBoot: 160) == moment(60))
        let isSet = clock.record(wall: moment(60 + change), sinceBoot: 160)
        #expect(isSet)
        #expect(clock.now(sinceBoot: 160) == moment(60))
        #expect(clock.wall(at: moment(60)) == moment(60 + change))
        #expect(clock.moment(ofWall: moment(60 + change)) == moment(60))
        // So it does for the next daemon of this boot.
        let next = Self.clock(clock.anchor, wall: 70 - change, sinceBoot: 170)
        #expect(next.now(sinceBoot: 170) == moment(70) && !next.isNewBoot)
    }

    @Test func `the daemon's time goes on by the time of day over a restart of the machine`() {
        let first = Self.clock(wall: 0, sinceBoot: 100)
        let second = Self.clock(first.anchor, boot: Self.laterBoot, wall: 500, sinceBoot: 10)
        #expect(second.isNewBoot && second.now(sinceBoot: 10) == moment(500))
        var isSet = second
        let hasChanged = isSet.record(wall: moment(500.1), sinceBoot: 10)
        #expect(!hasChanged)
    }

    @Test func `what cannot be read of the clock is forgotten`() {
        #expect(Encoded<ClockAnchor>(text: Array("no JSON".utf8)).value == nil)
        let anchor = Self.clock(wall: 7, sinceBoot: 3).anchor
        #expect(Encoded(anchor).value == anchor)
    }

    // MARK: Dates of applications

    private static func set(_ bench: inout MachineBench, by change: Double) {
        var clock = bench.machine.clock
        let since = bench.now.timeIntervalSince(moment(0))
        guard clock.record(wall: clock.wall(at: bench.now) + change, sinceBoot: since) else {
            return
        }
        bench.input { $0.clockSet(clock) }
        bench.settle()
    }

    @Test func `REL-5: an application's date follows the time of day`() throws {
        var bench = MachineBench()
        let client = bench.open(configuration: .timed(1000))
        let task = bench.startLater(client, in: 2 * Self.day)
        Self.set(&bench, by: Self.day)
        #expect(bench.stored(task)?.notBefore == moment(Self.day))
        #expect(bench.stored(task)?.deadline == moment(Self.day + 1000))
        bench.wait(Self.day - 1)
        #expect(bench.loading.isEmpty)
        Self.set(&bench, by: -1)
        bench.wait(1)
        #expect(bench.loading.isEmpty)
        bench.wait(1)
        #expect(bench.loading == [task])
    }

    @Test
    func
        `REL-5: a date that lies in the past by the new time begins at once, with all of its time`()
    {
        var bench = MachineBench()
        let client = bench.open(configuration: .timed(1000))
        let task = bench.startLater(client, in: 60)
        Self.set(&bench, by: Self.day)
        #expect(bench.loading == [task])
        #expect(bench.stored(task)?.deadline == bench.now + 1000)
    }

    @Test func `REL-5: a date is one of the time of day also where that is not the daemon's`() {
        var bench = MachineBench()
        Self.set(&bench, by: -Self.day)
        let client = bench.open()
        var create = Wire.CreateDownload.sample(client.session)
        create.earliestBegin = Wire.EarliestBegin(date: bench.now - Self.day + 60, asks: false)
        create.resumed = true
        bench.settledCall(client) { [create] in $0.createDownload(create, from: $1) }
        #expect(bench.loading.isEmpty)
        bench.wait(60)
        #expect(bench.loading.count == 1)
    }

    @Test func `REL-5: a clock that is set while the tasks are read is followed once more`() {
        var bench = MachineBench()
        let task = bench.startLater(bench.open(), in: 2 * Self.day)
        var clock = bench.machine.clock
        for change in [Self.day, Self.day / 2] {
            _ = clock.record(wall: moment(change), sinceBoot: 0)
            bench.input { [clock] in $0.clockSet(clock) }
        }
        bench.settle()
        #expect(bench.stored(task)?.notBefore == moment(1.5 * Self.day))
        let anchor = bench.database.current.clock?.value
        #expect(anchor?.offset == Self.day / 2)
    }

    @Test func `REL-5: a date is followed also when the store could not be read at first`() {
        var bench = MachineBench()
        let task = bench.startLater(bench.open(), in: 2 * Self.day)
        bench.failure = .model(.inputOutput)
        Self.set(&bench, by: Self.day)
        bench.failure = nil
        bench.wait(bench.machine.policy.rereadDelay)
        #expect(bench.stored(task)?.notBefore == moment(Self.day))
    }

    @Test func `REL-5: a clock that is set while dates are being moved is followed once more`() {
        var bench = MachineBench()
        let task = bench.startLater(bench.open(), in: 2 * Self.day)
        var clock = bench.machine.clock
        _ = clock.record(wall: moment(Self.day), sinceBoot: 0)
        bench.input { [clock] in $0.clockSet(clock) }
        // The date is read, and its new moment is on its way into the store.
        bench.step()
        _ = clock.record(wall: moment(Self.day / 2), sinceBoot: 0)
        bench.input { [clock] in $0.clockSet(clock) }
        bench.settle()
        #expect(bench.stored(task)?.notBefore == moment(1.5 * Self.day))
    }

    @Test func `REL-5: a date is followed also when its task is postponed while it is being moved`()
    {
        var bench = MachineBench()
        let task = bench.startLater(bench.open(), in: 2 * Self.day)
        var clock = bench.machine.clock
        _ = clock.record(wall: moment(-Self.day), sinceBoot: 0)
        bench.input { [clock] in $0.clockSet(clock) }
        // The date is read, and its new moment is on its way into the store, behind a failure of what the task needs.
        bench.step()
        bench.database.current.tasks[task]?.record.notBefore = moment(2 * Self.day + 60)
        bench.settle()
        #expect(bench.stored(task)?.notBefore == moment(3 * Self.day))
    }

    // MARK: Another boot

    private static func rebooted(
        _ bench: MachineBench,
        wall: Double,
        failing failure: StoreError? = nil
    ) -> MachineBench {
        let clock = clock(
            bench.machine.clock.anchor,
            boot: laterBoot,
            wall: wall,
            sinceBoot: 0
        )
        return MachineBench(
            on: bench.database,
            at: clock.now(sinceBoot: 0),
            clock: clock,
            failing: failure
        )
    }

    @Test func `REL-5: after another boot a wait that is longer than any is not believed`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.fail(bench.start(client), .serverUnavailable, retryAfter: 290)
        let later = bench.startLater(client, 2, in: 500)
        let set = Self.rebooted(bench, wall: -Self.day)
        #expect(set.loading == [1])
        #expect(set.stored(later)?.notBefore == moment(500))
        var whole = Self.rebooted(bench, wall: 100)
        #expect(whole.loading.isEmpty)
        whole.wait(190)
        #expect(whole.loading == [1])
    }

    @Test func `REL-5: after another boot a task has no more time than it had`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(configuration: .timed(1000)))
        let set = Self.rebooted(bench, wall: -Self.day)
        #expect(set.stored(task)?.deadline == moment(1000 - Self.day))
    }

    @Test func `REL-5: what was stored before another boot is mended when the disk has room again`()
    {
        var earlier = MachineBench()
        let client = earlier.open(configuration: .timed(1000))
        let task = earlier.start(client)
        var bench = Self.rebooted(earlier, wall: -Self.day, failing: .model(.diskFull))
        #expect(bench.stored(task)?.deadline == moment(1000))
        #expect(bench.machine.clock.isNewBoot)
        bench.failure = nil
        // What begins meanwhile has all of its time.
        let later = bench.start(bench.open(process: 2, configuration: .timed(1000)), 2)
        let begin = bench.now
        bench.wait(bench.machine.policy.rereadDelay)
        #expect(bench.stored(task)?.deadline == bench.now + 1000)
        #expect(bench.stored(later)?.deadline == begin + 1000)
        #expect(bench.timers[.deadline] == begin + 1000)
        let anchor = bench.database.current.clock?.value
        #expect(anchor?.boot == Self.laterBoot && !bench.machine.clock.isNewBoot)
    }

    @Test func `REL-5: a deadline that is mended late is watched as well`() {
        var earlier = MachineBench()
        let task = earlier.start(earlier.open(configuration: .timed(1000)))
        var bench = Self.rebooted(earlier, wall: -Self.day, failing: .model(.diskFull))
        bench.failure = nil
        bench.wait(bench.machine.policy.rereadDelay)
        #expect(bench.stored(task)?.deadline == bench.now + 1000)
        #expect(bench.timers[.deadline] == bench.now + 1000)
    }

    @Test
    func `REL-5: daemons that die soon do not put a start off that is a day off by the clock`() {
        var database = ModelDatabase()
        database.commit([
            .sampleSession(), .sampleTask(1, state: .waiting),
            .completeTask(.id(1), NewEnd(event: [])),
            .setLaunchState(application: 1, attempts: 3, nextLaunchAt: moment(Self.day)),
        ])
        let first = MachineBench(on: database)
        let longest = first.machine.policy.maximumRelaunchDelay
        var second = MachineBench(on: first.database, at: moment(longest / 2))
        second.wait(longest / 2)
        #expect(second.launches == ["session"])
    }

    @Test
    func `REL-5: an application is started although its next start is a day off by the clock`() {
        var database = ModelDatabase()
        database.commit([
            .sampleSession(), .sampleTask(1, state: .waiting),
            .completeTask(.id(1), NewEnd(event: [])),
            .setLaunchState(application: 1, attempts: 3, nextLaunchAt: moment(Self.day)),
        ])
        var bench = MachineBench(on: database)
        bench.wait(bench.machine.policy.maximumRelaunchDelay)
        #expect(bench.launches == ["session"])
    }
}
