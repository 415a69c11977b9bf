import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

/// Makes changes to a store at random, over so few names that many of them meet.
struct RandomMutations {
    var random: SeededRandom
    /// The moment of the changes, which goes on.
    private(set) var now = moment(0)
    private var lastTask: TaskID = 0
    private var tasks: [TaskID] = []
    private var sessions: [SessionID] = []
    private var applications: [ApplicationID] = []
    private var nextIdentifiers: [SessionID: Int] = [:]
    private var moments: [TaskID: Date] = [:]

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// The next changes that are to be made together, to a store that is like a model.
    mutating func next(for model: ModelStore) -> [Mutation] {
        tasks = model.tasks.keys.sorted()
        sessions = model.sessions.keys.sorted()
        applications = model.applications.keys.sorted()
        moments = model.tasks.compactMapValues(\.record.notBefore)
        nextIdentifiers = model.sessions.mapValues(\.record.nextTaskIdentifier)
        now += Double(random.number(below: 8)) / 2
        let count = random.happens(percent: 70) ? 1 : 1 + random.number(below: 4)
        return (0..<count).map { _ in mutation() }
    }

    mutating func task() -> TaskID { one(of: tasks) }
    mutating func session() -> SessionID { one(of: sessions) }
    mutating func application() -> ApplicationID { one(of: applications) }
    mutating func host() -> String { random.one(of: ["a:80", "b:80", "c:443"]) }

    mutating func date() -> Date? {
        random.happens(percent: 50) ? nil : now + Double(random.number(below: 40)) - 5
    }

    /// Mostly none.
    mutating func conditions() -> Conditions {
        let all: [Conditions] = [[], [], [], .battery, .expensiveNetwork, [.battery, .powerSaver]]
        return random.one(of: all)
    }

    /// Mostly one that is there.
    private mutating func one<ID: NumericIdentifier>(of known: [ID]) -> ID {
        known.isEmpty || random.happens(percent: 8)
            ? ID(Int64(1 + random.number(below: 30))) : random.one(of: known)
    }

    private mutating func text<Value>() -> Encoded<Value> {
        Encoded(text: [UInt8(random.number(below: 3))])
    }

    private mutating func key() -> TaskKey {
        guard random.happens(percent: 50) else { return .id(task()) }
        let session = session()
        return .identifier(session: session, identifier(in: session))
    }

    /// One that a session has, has had or may have next.
    private mutating func identifier(in session: SessionID) -> Int {
        max(0, (nextIdentifiers[session] ?? 1) - 4 + random.number(below: 6))
    }

    private mutating func mutation() -> Mutation {
        switch random.number(below: 100) {
        case 0..<12: open()
        case 12..<30: insert()
        case 30..<42:
            .resumeTask(key(), at: now, resourceTimeout: Double(random.number(below: 20)))
        case 42..<46: .suspendTask(key(), at: now)
        case 46..<50: .holdTask(task(), at: now)
        case 50..<54: .releaseTask(task(), at: now)
        case 54..<65:
            .completeTask(key(), end())
        case 65..<74:
            .acknowledge(
                session: session(),
                sequence: Int64(random.number(below: 9)),
                path: random.happens(percent: 40) ? "/\(random.number(below: 3))" : nil
            )
        case 74..<93: assignment()
        default: deletion()
        }
    }

    private mutating func open() -> Mutation {
        let launch = Wire.Launch(
            executable: "/bin/\(random.number(below: 3))",
            arguments: ["-e"],
            directory: "/",
            environment: ["A": "b"]
        )
        return .openSession(
            application: random.one(of: ["one", "two", "three"]),
            launch: random.happens(percent: 30) ? nil : launch,
            identifier: random.one(of: ["x", "y"]),
            configuration: text(),
            avoids: conditions()
        )
    }

    private mutating func insert() -> Mutation {
        // A number that was given already is given again now and then.
        let isRepetition = lastTask > 0 && random.happens(percent: 10)
        if !isRepetition { lastTask = lastTask.next }
        let session = session()
        return .insertTask(
            TaskRecord(
                id: isRepetition ? TaskID(lastTask.rawValue + 100) : lastTask,
                sessionID: session,
                identifier: identifier(in: session),
                state: random.happens(percent: 70) ? .suspended : .waiting,
                host: host(),
                priority: Double(random.number(below: 3)) / 2,
                request: text(),
                currentRequest: random.happens(percent: 20) ? text() : nil,
                response: random.happens(percent: 20) ? text() : nil,
                description: random.happens(percent: 50) ? nil : "described",
                receivedByteCount: Int64(random.number(below: 3)),
                expectedByteCount: random.happens(percent: 50) ? nil : 5,
                checkpoint: random.happens(percent: 20) ? text() : nil,
                attempts: attempts(),
                notBefore: date(),
                lastError: random.happens(percent: 20) ? text() : nil,
                createdAt: now,
                upload: random.happens(percent: 20) ? text() : nil,
                delay: random.happens(percent: 40) ? text() : nil,
                options: random.happens(percent: 20) ? text() : nil,
                link: random.happens(percent: 10) ? text() : nil,
                avoids: conditions()
            )
        )
    }

    /// How many attempts have failed, often none.
    private mutating func attempts() -> Int { max(0, random.number(below: 6) - 2) }

    private mutating func end() -> NewEnd {
        NewEnd(
            event: text(),
            path: random.happens(percent: 50) ? nil : "/\(random.number(below: 3))",
            receivedByteCount: Int64(random.number(below: 9)),
            expectedByteCount: random.happens(percent: 50) ? nil : 9,
            memory: random.happens(percent: 80) ? text() : nil
        )
    }

    private mutating func assignment() -> Mutation {
        let task = task()
        switch random.number(below: 22) {
        case 0: return .setLaunch(application: application(), nil)
        case 1:
            return .setLaunchState(
                application: application(),
                attempts: attempts(),
                nextLaunchAt: date()
            )
        case 2: return .setQuit(application: application(), random.happens(percent: 50))
        case 3: return .setConfiguration(session: session(), text())
        case 4:
            return .setProgress(
                task: task,
                receivedByteCount: Int64(random.number(below: 9)),
                expectedByteCount: random.happens(percent: 50) ? nil : 9
            )
        case 5: return .setCheckpoint(task: task, text())
        case 6:
            return .setRetry(
                task: task,
                attempts: attempts(),
                notBefore: date(),
                lastError: random.happens(percent: 30) ? nil : text()
            )
        case 7:
            return .postponeTask(
                task,
                attempts: attempts(),
                until: date() ?? now,
                lastError: text()
            )
        case 8:
            return .setExchange(
                task: task,
                currentRequest: random.happens(percent: 50) ? nil : text(),
                response: text()
            )
        case 9: return .setUpload(task: task, text())
        case 10: return .delayTask(key(), notBefore: date(), text(), at: now)
        case 11: return .beginTask(key(), text(), at: now)
        case 17:
            return .setRetry(
                task: task,
                attempts: 1,
                notBefore: TaskRecord.networkWait,
                lastError: nil
            )
        case 18: return .endNetworkWait
        case 21: return .set(random.happens(percent: 50) ? .rates(text()) : .clock(text()))
        case 19, 20:
            return .avoidConditions(key(), random.happens(percent: 20) ? nil : conditions())
        case 16: return .relinkTask(key(), host: host(), text())
        case 15: return .setOptions(key(), random.happens(percent: 50) ? nil : text())
        case 13:
            return .retimeTask(
                task,
                from: known(task) ?? now,
                to: now + Double(random.number(below: 40)) - 5,
                at: now
            )
        case 14:
            let earlier = now - Double(random.number(below: 9))
            return .distrustTimes(at: earlier, longestWait: Double(random.number(below: 20)))
        case 12: return .describeTask(key(), random.happens(percent: 50) ? nil : "text")
        default: return .prioritizeTask(key(), Double(random.number(below: 3)) / 2)
        }
    }

    /// The moment that a task waits for, mostly.
    private mutating func known(_ task: TaskID) -> Date? {
        random.happens(percent: 80) ? moments[task] : nil
    }

    private mutating func deletion() -> Mutation {
        switch random.number(below: 6) {
        case 0: .deleteApplication(id: application())
        case 1, 2: .deleteSession(id: session())
        default: .deleteTask(id: task())
        }
    }
}

/// A moment, in seconds after a fixed one.
func moment(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_800_000_000 + seconds) }

/// Random numbers that a seed determines: SplitMix64.
///
/// Source: https://prng.di.unimi.it/splitmix64.c
struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but without, `end`.
    ///
    /// The remainder is not quite even, which does not matter here and is fast.
    mutating func number(below end: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % end }

    /// Whether something happens that does so `part` times in a hundred.
    mutating func happens(percent part: Double) -> Bool { fraction() * 100 < part }

    /// A number from 0 up to, but without, 1.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// One of some values.
    mutating func one<Value>(of values: [Value]) -> Value { values[number(below: values.count)] }
}
