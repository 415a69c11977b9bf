import FerryHTTP
import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

@testable import FerryDaemon
@testable import FerryTransfer

/// One attempt to load a resource, as `Download` makes it.
class SimulatedTransfer {
    let task: TaskID
    let daemon: SimulatedDaemon
    let resource: Int
    private let checkpoint: Checkpoint?
    let attempts: Int
    /// What its options say.
    private let mirrors: [String]
    private let maximumConnections: Int
    /// How fast it may load and send.
    private(set) var rates: SharedRates
    /// How much of the rates is its share.
    var priority: Double
    /// What it has beside its first connection.
    let connections: SimulatedConnections
    let session: SessionID
    /// Where it was started for.
    let host: String
    private let isFromResumeData: Bool
    private let asksForLink: Bool
    private let lifetime = Lifetime()
    private var body: SimulatedServers.Resource?
    private var generation: UInt64 = 0
    private var received: Int64 = 0
    private var isSynchronizing = false
    /// Whether it knows what its file holds.
    private(set) var holdsFile = false
    /// Whether the file has bytes of earlier attempts.
    private var holdsEarlierBytes = false
    /// Whether its connection has not outlasted the machine's sleep, which nobody has told it.
    private(set) var isDead = false
    /// Whether its application is to say what becomes of it.
    private(set) var isAsking = false
    /// What its application has said.
    private(set) var permission: LoadChallengeAnswer?

    init(_ start: DaemonStateMachine.TransferStart, resource: Int, on daemon: SimulatedDaemon) {
        task = start.task.id
        self.daemon = daemon
        self.resource = resource
        host = start.task.host
        let state = start.task.checkpoint?.value
        checkpoint = state?.checkpoint
        isFromResumeData = state?.isFromResumeData ?? false
        attempts = start.task.attempts
        let options = start.task.validOptions
        mirrors = options?.mirrors ?? []
        maximumConnections =
            daemon.policy.segments.limited(to: options?.maximumConnections).maximumConnections
        rates = options?.rates ?? SharedRates()
        priority = start.task.priority
        session = start.task.sessionID
        connections = SimulatedConnections(task: task, session: session, daemon: daemon)
        asksForLink = start.asksForLink
    }

    /// Whether it still does something.
    var isActive: Bool { !lifetime.isOver }

    /// Begins; nothing comes from inside this call.
    func start() { schedule(after: 0) { $0.open() } }

    /// Ends it silently; its file stays.
    func cancel() {
        guard daemon.world.sabotage != .keepsTransfers else { return }
        lifetime.end()
        connections.giveBackAll()
    }

    /// Its connection is dead, which it finds out when nothing has come for long.
    func loseConnection() {
        guard isActive, !isDead else { return }
        isDead = true
        let daemon = daemon
        daemon.world.schedule(after: 60, daemon.lifetime) { [self] _ in
            if !lifetime.isOver { fail(.timedOut) }
        }
    }

    /// Gives a connection back that it was lent.
    func returnConnection(to host: String?) {
        connections.giveBackOne(to: host)
    }

    /// Loads and sends no faster from now on.
    func limit(to rates: SharedRates) {
        if daemon.world.sabotage != .forgetsRates { self.rates = rates }
    }

    /// Does nothing any more.
    func end() { lifetime.end() }

    func schedule(after delay: Double, _ step: @escaping (SimulatedTransfer) -> Void) {
        let daemon = daemon
        daemon.world.schedule(after: delay, daemon.lifetime) { [self] _ in
            if !lifetime.isOver, !isDead { step(self) }
        }
    }

    // MARK: Passwords

    /// Whether its application was ever asked; meanwhile others have taken its place.
    var hasAsked: Bool { isAsking || permission != nil }

    /// Whether the server wants to know who asks, and the application has not said.
    var needsPermission: Bool {
        permission == nil && daemon.world.servers.resources[resource].isProtected
    }

    /// The server wants a password.
    func ask() {
        isAsking = true
        guard let challenge = LoadChallenge.simulated(daemon.world.servers.resources[resource].url)
        else { return daemon.world.fail("resource \(resource) has no origin") }
        daemon.input { [task] machine in
            machine.challenged(task: task, challenge)
        }
    }

    /// The application has decided, or nobody can be asked.
    func take(_ answer: LoadChallengeAnswer) {
        if !isAsking { daemon.world.fail("task \(task) is answered and has not asked") }
        isAsking = false
        permission = answer
        if answer == .cancel { return fail(.cancelled) }
        proceed()
    }

    /// Makes the request once more.
    func proceed() { schedule(after: 0) { $0.open() } }

    /// What the server has for somebody who has said so much of himself.
    func found() -> SimulatedServers.Resource {
        let world = daemon.world
        let found = world.servers.resources[resource]
        let isRefused = found.isProtected && permission?.isCredential != true
        return found.status == 404 || isRefused ? world.servers.errorPage(of: resource) : found
    }

    // MARK: Loading

    private func open() {
        let world = daemon.world
        let held = world.disk.recover(
            task,
            checkpoint,
            trustsLength: world.sabotage == .trustsLengthAfterPowerCut
        )
        holdsFile = held != nil
        holdsEarlierBytes = holdsFile
        schedule(after: world.random.fraction() * 0.2) { $0.answer(holding: held) }
    }

    private func answer(holding held: Checkpoint?) {
        let world = daemon.world
        if world.connectivity == .disconnected { return loseNetwork() }
        if needsPermission { return ask() }
        if asksForLink, world.happens(perThousand: 100) { return fail(.linkExpired) }
        if held != nil, world.happens(perThousand: 30) { return fail(.answerDoubted) }
        var found = found()
        switch world.servers.moods[found.host] {
        case .good, .trickling: break
        case .refusing: return fail(.cannotConnectToHost)
        case .stalling: return schedule(after: 30) { $0.fail(.timedOut) }
        case .resetting: return fail(.connectionLost)
        case .untrusted: return fail(.certificateUntrusted)
        case .unavailable:
            let limit = daemon.policy.retry.unavailableResponses(after: attempts)
            if limit == .fail || held != nil { return fail(.serverUnavailable, retryAfter: 7) }
            found = world.servers.errorPage(of: resource)
        }
        body = found
        let isSame = held?.version == found.content && found.hasValidator && found.hasRanges
        let isResumed = held != nil && (isSame || world.sabotage == .mixesVersions)
        if isResumed, let held {
            received = min(held.writtenByteCount, found.size)
            world.count(.resumption)
            if world.disk.hasOutlivedPowerCut(task) { world.count(.resumptionAfterPowerCut) }
        } else {
            if held != nil { world.count(.restart) }
            world.disk.begin(task, found.content)
            holdsFile = true
            holdsEarlierBytes = false
        }
        generation = world.disk.downloads[task]?.record.generation ?? 0
        respond(found, isResumed: isResumed)
    }

    private func loseNetwork() {
        daemon.world.count(.networkWait)
        fail(daemon.world.random.happens(percent: 50) ? .notConnected : .timedOut)
    }

    private func respond(_ found: SimulatedServers.Resource, isResumed: Bool) {
        let response = Wire.Response(
            status: isResumed ? 206 : found.status,
            version: "HTTP/1.1",
            fields: [],
            url: found.url
        )
        let request = Wire.Request(url: found.url, method: "GET", fields: [], idleTimeout: 30)
        daemon.input { [task] machine in
            machine.responded(task: task, response: response, request: request)
        }
        if isResumed || isFromResumeData {
            daemon.input { [task, received] machine in
                machine.resumed(task: task, offset: received, expected: found.size)
            }
        }
        load()
    }

    private func load() {
        guard let body, !lifetime.isOver else { return }
        if received >= body.size {
            return schedule(after: daemon.world.random.fraction() * 0.05) { $0.finish() }
        }
        schedule(after: daemon.world.random.fraction() * 1.2) { $0.takeBytes() }
    }

    private func takeBytes() {
        guard let body else { return }
        let world = daemon.world
        switch world.servers.moods[body.host] {
        case .stalling: return schedule(after: 30) { $0.fail(.timedOut) }
        case .resetting: return fail(.connectionLost)
        case .good, .refusing, .unavailable, .untrusted, .trickling: break
        }
        if world.connectivity == .disconnected { return loseNetwork() }
        if world.happens(perThousand: 60) { return fail(.connectionLost) }
        if world.isDiskFull { return fail(.diskFull) }
        employ(body)
        let isStalled =
            world.servers.moods[body.host] == .trickling
            || world.isCutShort && world.random.happens(percent: 30)
        let part = isStalled ? 1 : 10 + world.random.number(below: 60)
        let count = min(body.size - received, Int64(part * (1 + connections.hosts.count)))
        received += count
        world.carries(task)
        world.disk.downloads[task]?.append(count, of: body.version)
        daemon.input { [task, received] machine in
            machine.progressed(task: task, received: received, expected: body.size)
        }
        world.promises.retries.won(task, byteCount: received, for: followers)
        if world.isCutShort, world.random.happens(percent: 50) { return fail(.connectionLost) }
        synchronizeSoon()
        load()
        // The worst moment: bytes that are written and not on the medium.
        if world.happens(perThousand: 4 * world.killRate) { world.killSomething() }
    }

    /// Has others fetch parts as well, here or at a mirror, or fewer of them than before.
    private func employ(_ body: SimulatedServers.Resource) {
        let world = daemon.world
        if world.random.happens(percent: 30) { connections.giveBackOne() }
        guard body.hasRanges, body.hasValidator else { return }
        while connections.hosts.count + 1 < maximumConnections,
            connections.ask(for: world.random.one(of: [body.url] + mirrors))
        {}
    }

    private func synchronizeSoon() {
        guard !isSynchronizing else { return }
        isSynchronizing = true
        schedule(after: 1) { transfer in
            let count = transfer.received
            let delay = transfer.daemon.world.random.fraction() * 0.1
            transfer.schedule(after: delay) { $0.synchronized(count) }
        }
    }

    private func synchronized(_ count: Int64) {
        isSynchronizing = false
        let world = daemon.world
        world.disk.synchronize(task, count, generation: generation)
        guard let checkpoint = world.disk.checkpoint(of: task) else { return }
        daemon.input { [task] machine in
            machine.checkpointed(task: task, Encoded(ByteState(checkpoint: checkpoint)))
        }
    }

    private func finish() {
        let world = daemon.world
        connections.giveBackAll()
        world.disk.synchronize(task, received, generation: generation)
        lifetime.end()
        daemon.input { [task, received] machine in
            machine.finished(task: task, byteCount: received, path: "\(task)")
        }
    }

    func fail(_ code: TransferError.Code, retryAfter: Double? = nil) {
        lifetime.end()
        connections.giveBackAll()
        let followers = followers
        let error = TransferError.sample(
            code,
            retryAfter: retryAfter,
            holdsBytes: holdsEarlierBytes
        )
        daemon.world.recordFailure(of: session, at: host, on: daemon)
        daemon.input { [task] machine in machine.failed(task: task, error) }
        // Those of a task that fails for good go on by themselves.
        let isFinal = daemon.machine.running[task]?.phase != .backingOff
        daemon.world.promises.retries.failed([task] + (isFinal ? [] : followers), in: daemon.world)
    }

    /// The tasks that are to get its bytes.
    private var followers: [TaskID] { daemon.machine.followings.followers(of: task) }
}

extension LoadChallenge {
    /// What a server asks that wants a password.
    fileprivate static func simulated(_ url: String) -> LoadChallenge? {
        Origin(url: url).map { origin in
            LoadChallenge(
                kind: .password(AuthenticationChallenge(scheme: "basic"), isProxy: false),
                origin: origin
            )
        }
    }
}

extension LoadChallengeAnswer {
    var isCredential: Bool {
        if case .use = self { true } else { false }
    }
}
