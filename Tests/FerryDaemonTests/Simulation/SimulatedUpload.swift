import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire

@testable import FerryDaemon

/// One attempt to send a file, as `Upload` makes it.
final class SimulatedUpload: SimulatedTransfer {
    private let state: UploadState
    /// What the client knows of the server's place for the upload.
    private var known: UploadResource?
    /// The place that the present request's bytes go to; `nil` where they are gone with the request.
    private var place: String?
    /// What has come with a request that cannot be continued.
    private var pieces: [SimulatedUploads.Piece] = []
    private var sent: Int64 = 0
    private var hasAnswer = false

    init(
        _ start: DaemonStateMachine.TransferStart,
        _ state: UploadState,
        resource: Int,
        on daemon: SimulatedDaemon
    ) {
        self.state = state
        known = daemon.world.sabotage == .forgetsUploads ? nil : start.task.uploadResource
        super.init(start, resource: resource, on: daemon)
    }

    /// The place that it goes on at.
    var continuedURL: String? { known?.url }

    private var world: Simulation { daemon.world }

    override func start() {
        if let known { world.promises.uploads.continues(self, known, in: world) }
        later { $0.check() }
    }

    /// The request is made once more; without a password the answer that asked for it is final.
    override func proceed() {
        let isFinal = place == nil && sent == state.byteCount && permission?.isCredential != true
        later { isFinal ? $0.takeAnswer() : $0.check() }
    }

    private func later(_ delay: Double = 0, _ step: @escaping (SimulatedUpload) -> Void) {
        schedule(after: delay) { [self] _ in step(self) }
    }

    /// Looks at the file, before the first byte is read and after the last one was.
    private func isSourceSame() -> Bool {
        switch state.place {
        case .copy:
            if world.disk.copies[task] != state.identity.modified {
                world.fail("the copy of what task \(task) sends is lost")
            }
            return true
        case .original:
            if world.sources.isSame(state.identity) { return true }
            world.count(.spoiltSource)
            let isThere = world.sources.isThere(state.identity)
            if isThere, place != nil { move(to: nil) }
            fail(isThere ? .fileChanged : .fileMissing)
            return false
        }
    }

    private func check() {
        guard isSourceSame() else { return }
        switch world.servers.moods[world.servers.resources[resource].host] {
        case .good, .unavailable, .trickling: known.map { locate($0) } ?? begin()
        case .refusing: fail(.cannotConnectToHost)
        case .stalling: later(30) { $0.fail(.timedOut) }
        case .resetting: fail(.connectionLost)
        case .untrusted: fail(.certificateUntrusted)
        }
    }

    private var isUnavailable: Bool { world.servers.moods[found().host] == .unavailable }

    /// The daemon is told where the upload goes on.
    private func move(to new: UploadResource?) {
        known = new
        daemon.input { [task] machine in machine.moved(task: task, to: new) }
        // The worst moment: the server has promised something, and nobody else knows.
        if world.happens(perThousand: 10 * world.killRate) { world.killSomething() }
    }

    // MARK: From the start

    private func begin() {
        (sent, pieces, place) = (0, [], nil)
        let found = world.servers.resources[resource]
        if found.continuesUploads, self.found().status == 200, !isUnavailable {
            world.promises.uploads.begins(task, in: world)
            let url = world.uploads.make(at: found.host)
            place = url
            later(world.random.fraction() * 0.3) { $0.takeProof(url) }
        }
        send()
    }

    /// The interim response that says where the upload can go on.
    private func takeProof(_ url: String) {
        guard !hasAnswer, place == url else { return }
        move(to: UploadResource(url: url, language: .draft8))
    }

    // MARK: On from where it was cut off

    private func locate(_ resource: UploadResource) {
        later(world.random.fraction() * 0.2) { $0.takePosition(resource) }
    }

    private func takePosition(_ resource: UploadResource) {
        if needsPermission { return ask() }
        if isUnavailable { return fail(.serverUnavailable) }
        if world.happens(perThousand: 60) { world.uploads.lose(resource.url) }
        let isLosing = world.happens(perThousand: 100)
        if world.happens(perThousand: 30) {
            world.count(.uploadContradicted)
            world.uploads.lose(resource.url)
            return giveUp(.badServerResponse)
        }
        switch world.uploads.locate(resource.url, losing: isLosing, using: &world.random) {
        case .forgotten:
            world.count(.uploadGone)
            giveUp(.uploadGone)
        case .complete:
            world.count(.uploadAnswerLost)
            giveUp(.answerLost)
        case .offset(let offset):
            world.count(.uploadContinued)
            (sent, place) = (offset, resource.url)
            acknowledge(offset)
            if isActive { send() }
        }
    }

    /// It cannot be continued any more.
    private func giveUp(_ code: TransferError.Code) {
        move(to: nil)
        if isActive { fail(code) }
    }

    /// The server says how much it has.
    private func acknowledge(_ offset: Int64) {
        guard var known else { return }
        known.acknowledgedByteCount = offset
        move(to: known)
    }

    // MARK: Bytes

    private func send() {
        guard sent < state.byteCount else { return finishSending() }
        later(world.random.fraction() * 1.2) { $0.sendPart() }
    }

    private func sendPart() {
        if world.happens(perThousand: 150) { return cut() }
        let end = min(state.byteCount, sent + Int64(10 + world.random.number(below: 60)))
        deliver(sent..<end)
        sent = end
        world.carries(task)
        daemon.input { [task, sent] machine in
            machine.sent(task: task, byteCount: sent)
        }
        if isActive, known != nil, let place, world.random.happens(percent: 30) {
            acknowledge(world.uploads.confirm(place))
        }
        guard isActive else { return }
        send()
        // The worst moment: the server has a part, or all of it, and nobody knows.
        if world.happens(perThousand: 4 * world.killRate) { world.killSomething() }
    }

    private func deliver(_ range: Range<Int64>) {
        let version =
            switch state.place {
            case .copy: world.disk.copies[task] ?? 0
            case .original: world.sources.version(state.identity)
            }
        let piece = SimulatedUploads.Piece(
            file: state.identity.inode,
            version: version,
            range: range
        )
        guard let place else { return pieces.append(piece: piece) }
        if !world.uploads.receive(piece, at: place) {
            // Somebody else has had the server forget it.
            if world.uploads.isKept(place) { world.fail("\(piece) does not follow at \(place)") }
        }
    }

    private func cut() {
        if let place {
            world.uploads.cut(place, using: &world.random)
            if world.happens(perThousand: 50) { world.uploads.lose(place) }
        }
        fail(.connectionLost)
    }

    // MARK: The answer

    private func finishSending() {
        guard isSourceSame() else { return }
        later(world.random.fraction() * 0.2) { $0.takeAnswer() }
    }

    private func takeAnswer() {
        if place == nil, needsPermission { return ask() }
        var found = found()
        if isUnavailable {
            let limit = daemon.policy.retry.unavailableResponses(after: attempts)
            if place != nil, limit == .fail { return fail(.serverUnavailable) }
            found = world.servers.errorPage(of: resource)
        }
        if found.status == 200 { checkContent() }
        if found.status == 200, let place {
            world.uploads.complete(place)
            // The worst moment: the server has it all, and nobody knows.
            if world.happens(perThousand: 50) { return fail(.connectionLost) }
        }
        if world.isDiskFull { return fail(.diskFull) }
        respond(found)
    }

    /// The server must have one version of the file, every byte of it once and in order.
    private func checkContent() {
        if let place, !world.uploads.isKept(place) { return }
        var expected: [SimulatedUploads.Piece] = []
        expected.append(
            piece: SimulatedUploads.Piece(
                file: state.identity.inode,
                version: state.identity.modified,
                range: 0..<state.byteCount
            )
        )
        let arrived = place.map { world.uploads.pieces(at: $0) } ?? pieces
        if arrived != expected {
            world.fail("the server takes \(arrived) from task \(task) for \(expected)")
        }
    }

    private func respond(_ found: SimulatedServers.Resource) {
        hasAnswer = true
        world.disk.begin(task, found.content)
        let response = Wire.Response(
            status: found.status,
            version: "HTTP/1.1",
            fields: [],
            url: found.url
        )
        let request = Wire.Request(url: found.url, method: "POST", fields: [], idleTimeout: 30)
        daemon.input { [task] machine in
            machine.responded(task: task, response: response, request: request)
        }
        guard isActive else { return }
        world.disk.downloads[task]?.append(found.size, of: found.version)
        daemon.input { [task] machine in
            machine.progressed(task: task, received: found.size, expected: found.size)
        }
        later(world.random.fraction() * 0.1) { $0.finish(found.size) }
    }

    private func finish(_ byteCount: Int64) {
        let disk = world.disk
        let generation = disk.downloads[task]?.record.generation ?? 0
        world.disk.synchronize(task, byteCount, generation: generation)
        end()
        daemon.input { [task] machine in
            machine.finished(task: task, byteCount: byteCount, path: "\(task)")
        }
    }
}
