import FerrySystem
import FerryTransfer
import FerryWire

@testable import FerryDaemon

/// One attempt to send a file, as `Upload` makes it.
final class SimulatedUpload: SimulatedTransfer {
    private let state: UploadState
    private var sent: Int64 = 0

    init(
        _ start: DaemonStateMachine.TransferStart,
        _ state: UploadState,
        resource: Int,
        on daemon: SimulatedDaemon
    ) {
        self.state = state
        super.init(start, resource: resource, on: daemon)
    }

    override func start() {
        later { $0.check() }
    }

    /// It is sent once more from its start.
    override func goOn() {
        sent = 0
        later { $0.check() }
    }

    private func later(_ delay: Double = 0, _ step: @escaping (SimulatedUpload) -> Void) {
        schedule(after: delay) { [self] _ in step(self) }
    }

    /// Looks at the file, before the first byte is read and after the last one was.
    private func isSourceSame() -> Bool {
        let world = daemon.world
        switch state.place {
        case .copy:
            if world.disk.copies[task] != state.identity.modified {
                world.fail("the copy of what task \(task) sends is lost")
            }
            return true
        case .original:
            if world.sources.isSame(state.identity) { return true }
            world.count(.spoiltSource)
            fail(world.sources.isThere(state.identity) ? .fileChanged : .fileMissing)
            return false
        }
    }

    private func check() {
        guard isSourceSame() else { return }
        let world = daemon.world
        switch world.servers.moods[world.servers.resources[resource].host] {
        case .good, .unavailable: send()
        case .refusing: fail(.cannotConnectToHost)
        case .stalling: later(30) { $0.fail(.timedOut) }
        case .resetting: fail(.connectionLost)
        case .untrusted: fail(.certificateUntrusted)
        }
    }

    private func send() {
        let world = daemon.world
        guard sent < state.byteCount else { return finishSending() }
        later(world.random.fraction() * 1.2) { upload in
            if world.happens(perThousand: 60) { return upload.fail(.connectionLost) }
            let count = Int64(10 + world.random.number(below: 60))
            upload.sent = min(upload.state.byteCount, upload.sent + count)
            upload.daemon.input { [task = upload.task, sent = upload.sent] machine, now in
                machine.sent(task: task, byteCount: sent, at: now)
            }
            guard upload.isActive else { return }
            upload.send()
            // The worst moment: the server has a part, or all of it, and nobody knows.
            if world.happens(perThousand: 4 * world.killRate) { world.killSomething() }
        }
    }

    private func finishSending() {
        guard isSourceSame() else { return }
        later(daemon.world.random.fraction() * 0.2) { $0.takeAnswer() }
    }

    private func takeAnswer() {
        let world = daemon.world
        if needsPermission { return ask() }
        if world.isDiskFull { return fail(.diskFull) }
        var found = found()
        if world.servers.moods[found.host] == .unavailable {
            found = world.servers.errorPage(of: resource)
        }
        world.disk.begin(task, found.content)
        let response = Wire.Response(
            url: found.url,
            status: found.status,
            version: "HTTP/1.1",
            fields: []
        )
        let request = Wire.Request(url: found.url, method: "POST", fields: [], idleTimeout: 30)
        daemon.input { [task] machine, now in
            machine.responded(task: task, response: response, request: request, at: now)
        }
        guard isActive else { return }
        world.disk.downloads[task]?.append(found.size, of: found.version)
        daemon.input { [task] machine, now in
            machine.progressed(task: task, received: found.size, expected: found.size, at: now)
        }
        later(world.random.fraction() * 0.1) { $0.finish(found.size) }
    }

    private func finish(_ byteCount: Int64) {
        let disk = daemon.world.disk
        let generation = disk.downloads[task]?.record.generation ?? 0
        daemon.world.disk.synchronize(task, byteCount, generation: generation)
        end()
        daemon.input { [task] machine, now in
            machine.finished(task: task, byteCount: byteCount, path: "\(task)", at: now)
        }
    }
}
