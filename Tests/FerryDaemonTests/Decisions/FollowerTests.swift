import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// Equal downloads of a session that are under way at once are fetched once.
@Suite(.timeLimit(.minutes(1))) struct FollowerTests {
    /// A client makes a download of an address, and lets it run.
    private static func start(
        _ bench: inout MachineBench,
        _ client: BenchClient,
        _ identifier: Int,
        _ change: (inout Wire.CreateDownload) -> Void = { _ in }
    ) -> TaskID {
        var create = Wire.CreateDownload.sample(client.session, identifier)
        create.request = .sample("http://a/same")
        create.resumed = true
        change(&create)
        let outcome = bench.settledCall(client) { [create] in
            $0.createDownload(create, from: $1)
        }
        guard case .answer(.created(let task)) = outcome else { return 0 }
        return task
    }

    /// Two equal downloads, of which the first loads.
    private static func pair(
        _ policy: DaemonPolicy = .limits(total: 9, host: 9)
    ) -> (MachineBench, BenchClient) {
        var bench = MachineBench(policy)
        let client = bench.open(configuration: .limited(9))
        for identifier in 1...2 { _ = start(&bench, client, identifier) }
        return (bench, client)
    }

    /// The copy that is being made has come to something.
    private static func copied(
        _ bench: inout MachineBench,
        _ result: DaemonStateMachine.FileCopy.Result? = nil
    ) {
        guard let copy = bench.copies.last else { return }
        bench.input {
            $0.copied(copy, result ?? .copied("/copy\(copy.follower)"))
        }
        bench.settle()
    }

    private static func kinds(_ bench: MachineBench, task: TaskID) -> [Wire.EventKind] {
        let event = bench.stored(task)?.event?.value
        return event.map { [$0.kind] } ?? []
    }

    @Test func `API-17: equal downloads of a session have one transfer and a file each`() throws {
        var (bench, client) = Self.pair()
        #expect(bench.loading == [1])
        #expect(bench.machine.running.budget.count == 1)
        let stream = bench.subscribe(client)
        bench.input {
            $0.responded(task: 1, response: .sample(), request: .sample("http://a/same"))
        }
        bench.progress(1, 50)
        bench.wait(1)
        let progress = bench.events[stream]?.filter { $0.kind == .progress } ?? []
        #expect(Set(progress.compactMap(\.task)) == [1, 2])
        bench.finish(1, byteCount: 100)
        // The file is nobody's before there is a copy of it.
        #expect(bench.database.current.eventKeys.isEmpty)
        let copy = try #require(bench.copies.first)
        #expect(copy.leader == 1 && copy.follower == 2 && copy.byteCount == 100)
        Self.copied(&bench)
        for task in [1, 2] as [TaskID] {
            #expect(Self.kinds(bench, task: task) == [.completed])
            #expect(bench.stored(task)?.receivedByteCount == 100)
            let event = bench.stored(task)?.event?.value
            #expect(event?.response?.value?.status == 200)
        }
        let paths = bench.database.current.events(session: 1, after: 0, limit: 9)
            .compactMap { $0.sent?.path }
        #expect(Set(paths) == ["/1", "/copy2"])
        #expect(bench.machine.running.isEmpty && bench.machine.followings.isEmpty)
        #expect(bench.machine.operationCount == 0 && bench.machine.fileOperationCount == 0)
    }

    @Test func `API-17: a download that comes late gets the same bytes`() {
        var (bench, client) = Self.pair()
        bench.progress(1, 50)
        let late = Self.start(&bench, client, 3)
        #expect(bench.machine.running[late]?.receivedByteCount == 50)
        bench.finish(1, byteCount: 100)
        // One copy is made after the other, and each has its end as soon as it is there.
        #expect(bench.copies.map(\.follower) == [2])
        Self.copied(&bench)
        #expect(bench.copies.map(\.follower) == [2, late])
        #expect(Self.kinds(bench, task: 2) == [.completed])
        Self.copied(&bench)
        #expect(Self.kinds(bench, task: late) == [.completed])
        #expect(Self.kinds(bench, task: 1) == [.completed])
    }

    @Test func `API-17: thousands of equal downloads are not held in memory all at once`() {
        let policy = DaemonPolicy.limits(total: 9, host: 9)
        var (bench, client) = Self.pair(policy)
        for identifier in 3...2000 { _ = Self.start(&bench, client, identifier) }
        // Each transfer has as many that follow it, and the rest wait in the store.
        #expect(bench.loading.count == 9)
        let counts = bench.loading.map { bench.machine.followings.followers(of: $0).count }
        #expect(Set(counts) == [0, policy.maximumFollowers])
        #expect(bench.machine.running.count <= 9 * (1 + policy.maximumFollowers))
    }

    @Test func `API-17: what is not the same has a transfer of its own`() {
        var (bench, client) = Self.pair()
        let other = bench.open("other", configuration: .limited(9))
        let tasks = [
            Self.start(&bench, other, 1),
            Self.start(&bench, client, 3) { $0.request.url = "http://a/another" },
            Self.start(&bench, client, 4) {
                $0.request.fields = [Wire.Field(name: "A", value: "b")]
            },
            Self.start(&bench, client, 5) { $0.options = Wire.TransferOptions(receiveRate: 9) },
        ]
        #expect(bench.loading == [1] + tasks)
        let parts = (6...7).map { identifier in
            Self.start(&bench, client, identifier) { create in
                create.request.fields = [Wire.Field(name: "Range", value: "bytes=0-9")]
            }
        }
        #expect(bench.loading == [1] + tasks + parts)
    }

    @Test func `API-17: who is cancelled or suspended takes no other along`() {
        var (bench, client) = Self.pair()
        bench.cancel(client, 2)
        #expect(bench.stored(2)?.state == .completed && bench.loading == [1])
        let third = Self.start(&bench, client, 3)
        bench.suspend(client, 3)
        #expect(bench.stored(third)?.state == .suspended && bench.machine.running[third] == nil)
        bench.resume(client, 3)
        #expect(bench.machine.running[third]?.leader == 1)
        bench.progress(1, 50)
        bench.suspend(client, 1)
        #expect(bench.loading == [third])
        // It has bytes of its own, and goes on from them.
        bench.finish(third)
        #expect(bench.copies.isEmpty)
        #expect(Self.kinds(bench, task: third) == [.completed])
    }

    @Test func `REL-7: what the first one wins no other one has lost when it goes on by itself`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        for identifier in 1...2 {
            _ = Self.start(&bench, client, identifier) {
                $0.options = Wire.TransferOptions(retry: Wire.RetryRules(maximumAttempts: 2))
            }
        }
        for received in [30, 60, 90] as [Int64] {
            bench.progress(1, received)
            bench.fail(1)
            #expect(bench.stored(2)?.attempts == 1)
            bench.wait(300)
            #expect(bench.machine.running[2]?.leader == 1)
        }
        bench.progress(1, 120)
        bench.cancel(client, 1)
        #expect(bench.loading == [2] && bench.stored(2)?.attempts == 0)
        bench.progress(2, 10)
        bench.fail(2)
        #expect(bench.stored(2)?.state == .waiting && bench.stored(2)?.attempts == 1)
    }

    @Test func `REL-7: a failure of the first one that is one too many for another ends that one`()
        throws
    {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        func start(_ identifier: Int) {
            _ = Self.start(&bench, client, identifier) {
                $0.options = Wire.TransferOptions(retry: Wire.RetryRules(maximumAttempts: 2))
            }
        }
        start(1)
        start(2)
        bench.progress(1, 30)
        bench.suspend(client, 1)
        bench.fail(2)
        bench.resume(client, 1)
        #expect(bench.loading == [1] && bench.stored(2)?.attempts == 1)
        bench.wait(300)
        #expect(bench.machine.running[2]?.leader == 1)
        bench.fail(1)
        #expect(bench.stored(1)?.state == .waiting && bench.stored(1)?.attempts == 1)
        #expect(bench.stored(2)?.state == .completed)
        let end = try #require(bench.lastEvent)
        #expect(end.task == 2 && end.failure?.code == "connectionLost")
    }

    @Test func `API-17: when the first one is cancelled the next one loads for the others`() {
        var (bench, client) = Self.pair()
        let third = Self.start(&bench, client, 3)
        bench.cancel(client, 1)
        #expect(bench.loading == [2])
        #expect(bench.machine.running[third]?.leader == 2)
    }

    @Test func `API-17: after a failure all come back together, and load once`() {
        var (bench, _) = Self.pair()
        bench.fail(1)
        #expect(bench.loading.isEmpty)
        #expect(bench.stored(1)?.notBefore == bench.stored(2)?.notBefore)
        #expect(bench.stored(2)?.attempts == 1)
        bench.wait(10)
        #expect(bench.loading == [1])
        #expect(bench.machine.running[2]?.leader == 1)
    }

    @Test func `API-17: what cannot be copied is loaded once more`() {
        var (bench, _) = Self.pair()
        bench.finish(1)
        Self.copied(&bench, .failed(.sample(.diskFull)))
        #expect(Self.kinds(bench, task: 1) == [.completed])
        #expect(bench.loading == [2])
        bench.finish(2)
        #expect(Self.kinds(bench, task: 2) == [.completed])
    }

    @Test func `API-17: the copy for a task that is cancelled meanwhile goes`() {
        var (bench, client) = Self.pair()
        bench.finish(1)
        bench.cancel(client, 2)
        #expect(bench.effects.contains(.abandonCopy(task: 2)))
        bench.forgetEffects()
        Self.copied(&bench)
        #expect(bench.effects.contains(.discardFile(task: 2)))
        #expect(Self.kinds(bench, task: 2) == [.completed])
        #expect(!bench.machine.followings.isCopying(for: 2))
    }

    @Test func `API-17: the next daemon begins with those that have not ended`() {
        var (bench, _) = Self.pair()
        bench.finish(1)
        // It dies before the copy is there.
        let next = MachineBench(.limits(total: 9, host: 9), on: bench.database)
        #expect(next.loading == [1])
        #expect(next.machine.running[2]?.leader == 1)
    }

    // MARK: A disk that is slow

    @Test func `API-17: an end does not wait for long until its file is copied for others`() throws
    {
        var (bench, client) = Self.pair()
        let third = Self.start(&bench, client, 3)
        bench.finish(1)
        bench.wait(bench.machine.policy.copyTime - 1)
        #expect(bench.database.current.eventKeys.isEmpty)
        bench.forgetEffects()
        bench.wait(2)
        #expect(Self.kinds(bench, task: 1) == [.completed])
        // From then on its application may change the file.
        let first = try #require(bench.effects.first { $0 != .changed(task: third) })
        #expect(first == .abandonCopy(task: 2))
        #expect(bench.loading == [third])
        Self.copied(&bench, .failed(.sample(.cancelled)))
        #expect(bench.machine.running[2]?.leader == third)
    }

    @Test func `API-17: a download is cancelled at once while its file is copied for others`() {
        var (bench, client) = Self.pair()
        let third = Self.start(&bench, client, 3)
        bench.finish(1)
        #expect(bench.cancel(client, 1) == .done)
        #expect(Self.kinds(bench, task: 1) == [.completed])
        // Into the file of the second one a copy is still being written.
        #expect(bench.loading == [third])
        Self.copied(&bench)
        #expect(bench.machine.running[2]?.leader == third)
        #expect(bench.machine.followings.sharing(of: 1) == nil)
        #expect(bench.timers[.sharing(task: 1)] == nil)
    }

    @Test func `API-17: a daemon that is to end does not wait for copies`() {
        var (bench, _) = Self.pair()
        bench.finish(1)
        bench.input { machine in machine.stopDaemon(call: nil) }
        bench.settle()
        #expect(bench.hasExited)
        bench.forgetEffects()
        Self.copied(&bench)
        #expect(bench.effects.allSatisfy { $0 == .exit })
    }

    @Test
    func `API-17: what would take too long to copy is loaded by each, and soon the next time`() {
        var policy = DaemonPolicy.limits(total: 9, host: 9)
        policy.greatestCopy = 50
        var (bench, client) = Self.pair(policy)
        let third = Self.start(&bench, client, 3)
        bench.finish(1, byteCount: 100)
        Self.copied(&bench, .tooLarge)
        #expect(Self.kinds(bench, task: 1) == [.completed])
        // It is not known yet how large the file will be.
        #expect(bench.loading == [2] && bench.machine.running[third]?.leader == 2)
        bench.progress(2, 10, of: 100)
        bench.settle()
        #expect(bench.loading == [2, third])
        let fourth = Self.start(&bench, client, 4)
        #expect(bench.machine.running[fourth]?.leader == third)
        #expect(bench.copies.count == 1)
    }

    @Test func `API-17: the copy is made where its application wants the file`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        for identifier in 1...2 {
            _ = Self.start(&bench, client, identifier) {
                $0.options = Wire.TransferOptions(directory: "/mnt/big")
            }
        }
        bench.finish(1)
        #expect(bench.copies.map(\.directory) == ["/mnt/big"])
    }

    @Test func `API-17: who was cancelled gets no copy`() {
        var (bench, client) = Self.pair()
        bench.cancel(client, 2)
        bench.finish(1)
        #expect(bench.copies.isEmpty)
        #expect(Self.kinds(bench, task: 1) == [.completed])
        #expect(bench.machine.running.isEmpty && bench.machine.followings.isEmpty)
    }

    @Test func `API-17: a task that has bytes of its own loads the rest itself`() {
        var (bench, client) = Self.pair()
        bench.suspend(client, 2)
        bench.database.commit([.setCheckpoint(task: 2, [1])])
        bench.resume(client, 2)
        #expect(bench.loading == [1, 2])
    }
}

/// What tasks must have in common so that one transfer serves them.
@Suite(.timeLimit(.minutes(1))) struct FollowerDifferenceTests {
    private static let request = Wire.Request.sample("http://a/same")

    private static func start(
        _ bench: inout MachineBench,
        _ client: BenchClient,
        _ identifier: Int,
        options: Wire.TransferOptions? = nil,
        priority: Double = 0.5
    ) -> TaskID {
        var create = Wire.CreateDownload.sample(client.session, identifier)
        create.request = request
        create.resumed = true
        create.options = options
        create.priority = priority
        let outcome = bench.settledCall(client) { [create] in
            $0.createDownload(create, from: $1)
        }
        guard case .answer(.created(let task)) = outcome else { return 0 }
        return task
    }

    private static func begin() -> (MachineBench, BenchClient) {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        for identifier in 1...3 { _ = start(&bench, client, identifier) }
        return (bench, client)
    }

    private static func answer(_ bench: inout MachineBench, _ fields: [Wire.Field]) {
        var response = Wire.Response.sample()
        response.fields = fields
        bench.input { [response] in
            $0.responded(task: 1, response: response, request: request)
        }
        bench.settle()
    }

    private static let cacheControls: [([String], Bool)] = [
        (["no-store"], true),
        (["No-Store"], true),
        (["private, no-store"], true),
        (["max-age=60", "no-store"], true),
        (["no-store=\"x\""], true),
        (["no-cache"], false),
        (["private"], false),
        (["extension=\"no-store\""], false),
        ([], false),
    ]

    @Test(arguments: cacheControls)
    func `REL-16: a response that says no-store is one task's, and the others load their own`(
        _ values: [String],
        _ isAlone: Bool
    ) {
        var (bench, client) = Self.begin()
        #expect(bench.loading == [1])
        Self.answer(&bench, values.map { Wire.Field(name: "Cache-Control", value: $0) })
        #expect(bench.loading == (isAlone ? [1, 2, 3] : [1]))
        // Nothing was told of the response that is not theirs.
        if isAlone { #expect(bench.machine.running[2]?.response == nil) }
        bench.progress(1, 50)
        if isAlone { #expect(bench.machine.running[2]?.receivedByteCount == 0) }
        bench.finish(1, byteCount: 100)
        #expect(bench.copies.isEmpty == isAlone)
        guard isAlone else { return }
        // Nor does one that comes later follow those that are known to load alone.
        let late = Self.start(&bench, client, 4)
        #expect(bench.loading == [2, 3, late])
        for task in [2, 3, late] { bench.finish(task) }
        #expect(bench.machine.running.isEmpty && bench.machine.followings.isEmpty)
    }

    @Test func `REL-16: a response of which few fields are kept is judged by all of them`() {
        var (bench, _) = Self.begin()
        let long = String(repeating: "a", count: bench.machine.policy.maximumHeadByteCount)
        Self.answer(
            &bench,
            [
                Wire.Field(name: "A", value: long),
                Wire.Field(name: "Cache-Control", value: "no-store, a=\"\(long)b\""),
            ]
        )
        #expect(bench.loading == [1, 2, 3])
    }

    @Test
    func `REL-16: an attempt that follows one with a response of its own is followed by none`() {
        var (bench, client) = Self.begin()
        for task in [2, 3] { bench.cancel(client, task) }
        Self.answer(&bench, [Wire.Field(name: "Cache-Control", value: "no-store")])
        bench.progress(1, 50)
        bench.fail(1)
        bench.wait(300)
        #expect(bench.loading == [1])
        let other = Self.start(&bench, client, 4)
        #expect(bench.loading == [1, other])
    }

    /// What a client can set for a task.
    private static let settings: [Wire.TransferOptions] = [
        Wire.TransferOptions(receiveRate: 1000),
        Wire.TransferOptions(sendRate: 1000),
        Wire.TransferOptions(maximumConnections: 1),
        Wire.TransferOptions(mirrors: ["http://b/same"]),
        Wire.TransferOptions(
            digests: [Wire.Digest(algorithm: "sha-256", value: Data(repeating: 1, count: 32))]
        ),
        Wire.TransferOptions(retry: Wire.RetryRules(maximumAttempts: 2)),
        Wire.TransferOptions(refusesErrorResponses: true),
        Wire.TransferOptions(directory: "/mnt"),
        Wire.TransferOptions(keepsMachineAwake: true),
        Wire.TransferOptions(avoids: [.battery]), Wire.TransferOptions(maximumRedirects: 1),
        Wire.TransferOptions(maximumByteCount: 1), Wire.TransferOptions(minimumReceiveRate: 1),
        Wire.TransferOptions(requiresTLS: true), Wire.TransferOptions(cookies: []),
    ]

    @Test(arguments: settings)
    func `REL-16: tasks for which something else is set do not share a transfer`(
        _ options: Wire.TransferOptions
    ) {
        var (bench, client) = Self.begin()
        let other = Self.start(&bench, client, 4, options: options)
        let equal = Self.start(&bench, client, 5, options: options)
        #expect(bench.loading == [1, other])
        #expect(bench.machine.running[equal]?.leader == other)
    }

    @Test func `REL-16: tasks of another priority do not share a transfer`() {
        var (bench, client) = Self.begin()
        let other = Self.start(&bench, client, 4, priority: 1)
        let equal = Self.start(&bench, client, 5, priority: 1)
        #expect(bench.loading == [1, other])
        #expect(bench.machine.running[equal]?.leader == other)
    }

    /// Whose settings change: the task's that has the transfer, or one of those that follow it.
    @Test(arguments: settings, [1, 2])
    func `REL-16: what is set for one task later holds for no other`(
        _ options: Wire.TransferOptions,
        _ identifier: Int
    ) {
        var (bench, client) = Self.begin()
        let set = Wire.SetOptions(
            session: client.session,
            identifier: identifier,
            options: options
        )
        _ = bench.settledCall(client) { $0.setOptions(set, from: $1) }
        // The two for which nothing has changed share one.
        let (leader, follower): (TaskID, TaskID) = identifier == 1 ? (2, 3) : (1, 3)
        #expect(bench.loading == [1, 2])
        #expect(bench.machine.running[follower]?.leader == leader)
        // The same once more changes nothing.
        bench.forgetEffects()
        _ = bench.settledCall(client) { $0.setOptions(set, from: $1) }
        #expect(bench.loading == [1, 2])
        #expect(bench.startedTasks.isEmpty)
    }

    @Test(arguments: [1, 2])
    func `REL-16: a priority that one task gets later is no other's`(_ identifier: Int) {
        var (bench, client) = Self.begin()
        let set = Wire.SetPriority(session: client.session, identifier: identifier, priority: 1)
        _ = bench.settledCall(client) { $0.setPriority(set, from: $1) }
        #expect(bench.loading == [1, 2])
        #expect(bench.machine.running[3]?.leader == (identifier == 1 ? 2 : 1))
    }

    @Test func `REL-16: a limit that comes when the file is complete changes nothing`() {
        var (bench, client) = Self.begin()
        bench.finish(1, byteCount: 100)
        #expect(bench.copies.map(\.follower) == [2])
        for identifier in 1...3 {
            let set = Wire.SetOptions(
                session: client.session,
                identifier: identifier,
                options: Wire.TransferOptions(receiveRate: 9)
            )
            _ = bench.settledCall(client) { $0.setOptions(set, from: $1) }
        }
        #expect(bench.loading == [1])
        #expect(bench.machine.running[3]?.leader == 1)
    }

    // MARK: Attempts

    /// How many attempts of the leader and of its follower have failed before they fail together.
    @Test(arguments: [(1, 0), (2, 0), (2, 1), (0, 1), (0, 2), (1, 2), (0, 3), (3, 0)])
    func `TEST-15: each of those that fail together counts its own attempts`(
        _ leading: Int,
        _ following: Int
    ) {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        let options = Wire.TransferOptions(retry: Wire.RetryRules(maximumAttempts: 4))
        func failAlone(_ identifier: Int, _ count: Int) {
            let task = Self.start(&bench, client, identifier, options: options)
            for _ in 0..<count {
                bench.fail(task)
                bench.wait(300)
            }
            bench.suspend(client, identifier)
        }
        failAlone(1, leading)
        failAlone(2, following)
        bench.resume(client, 1)
        bench.resume(client, 2)
        #expect(bench.loading == [1] && bench.machine.running[2]?.leader == 1)
        bench.fail(1)
        // The fourth one is the last; who follows one that ends goes on by itself.
        let counts = [leading + 1, leading == 3 ? following : following + 1]
        for (index, count) in counts.enumerated() {
            let task = TaskID(Int64(index + 1))
            #expect(bench.stored(task)?.state == (count == 4 ? .completed : .waiting))
            if count < 4 { #expect(bench.stored(task)?.attempts == count) }
        }
    }
}
