/// A monitor of whether this machine is connected, by rtnetlink(7), for as long as there are observers.
///
/// The kernel reports each change, so nothing is polled. Without observers there is no socket. If netlink
/// cannot be used, the answer is ``Connectivity/unknown``. A route to the machine itself does not count,
/// though a server there can always be reached.
@LoopActor
package final class ConnectivityMonitor {
    /// The process's monitor.
    package static let shared = ConnectivityMonitor()

    /// The number of datagrams that are read in one turn of the loop: a router can have a million routes.
    private static let datagramsPerTurn = 64

    /// The latest answer; ``Connectivity/unknown`` without observers.
    package private(set) var connectivity = Connectivity.unknown

    private let open: () throws(SystemCallError) -> RouteSocket
    private var observers: [UInt64: @LoopActor (Connectivity) -> Void] = [:]
    private var nextKey: UInt64 = 0
    private var socket: RouteSocket?
    private var machine = StateMachine(port: 0)
    private var watch: Watch?
    private var timer: LoopTimer?

    /// Makes a monitor.
    ///
    /// - Parameter open: Opens the socket, for the first observer.
    init(
        open: @escaping () throws(SystemCallError) -> RouteSocket = { () throws(SystemCallError) in
            try RouteSocket()
        }
    ) {
        self.open = open
    }

    /// Calls `handler` on the loop whenever ``connectivity`` changes, until the observation is cancelled.
    ///
    /// It is not called for what is known when this returns: even the first observer then finds the kernel's
    /// answer in ``connectivity``.
    package func observe(
        _ handler: @escaping @LoopActor (Connectivity) -> Void
    ) -> ConnectivityObservation {
        if socket == nil { start() }
        nextKey += 1
        observers[nextKey] = handler
        return ConnectivityObservation(key: nextKey, monitor: self)
    }

    /// Returns the kernel's answer at this moment, even without observers.
    package func ask() -> Connectivity {
        let observation = observe { _ in }
        defer { observation.cancel() }
        return connectivity
    }

    func removeObserver(_ key: UInt64) {
        observers[key] = nil
        guard observers.isEmpty else { return }
        stop()
        connectivity = .unknown
    }

    private func start() {
        do throws(SystemCallError) {
            let socket = try open()
            machine = StateMachine(port: socket.port)
            watch = try EventLoop.shared.watch(socket.descriptor, for: .readable) { [weak self] _ in
                self?.receive()
            }
            self.socket = socket
        } catch {
            return
        }
        run { $0.start(at: EventLoop.now) }
        // The kernel answers a request before the call that sends it returns.
        receive()
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        watch?.cancel()
        watch = nil
        socket = nil
    }

    private func receive() {
        for _ in 0..<Self.datagramsPerTurn {
            guard let socket else { return }
            do throws(SystemCallError) {
                switch try socket.receive() {
                case .nothing: return
                case .loss: run { $0.messagesWereLost(at: EventLoop.now) }
                case .datagram(let bytes): take(bytes, from: socket)
                }
            } catch {
                giveUp()
            }
        }
    }

    private func take(_ datagram: [UInt8], from socket: RouteSocket) {
        do throws(MalformedNetworkMessage) {
            // The last observer may have left, and another one may have been added: these messages are then
            // outdated.
            for message in try NetworkMessage.decode(datagram) where socket === self.socket {
                run { $0.received(message, at: EventLoop.now) }
            }
        } catch {
            giveUp()
        }
    }

    /// Stops asking a socket that does not follow the documented protocol.
    private func giveUp() {
        stop()
        publish(.unknown)
    }

    /// Takes an input, and performs what follows.
    private func run(_ input: (inout StateMachine) -> Void) {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() { perform(effect) }
    }

    private func perform(_ effect: StateMachine.Effect) {
        switch effect {
        case .request(let listing, let sequence): request(listing, sequence)
        case .wake(let instant): wake(at: instant)
        case .publish(let connectivity): publish(connectivity)
        }
    }

    private func request(_ listing: RouteListing, _ sequence: UInt32) {
        do throws(SystemCallError) {
            try socket?.request(listing, sequence: sequence)
        } catch {
            giveUp()
        }
    }

    private func wake(at instant: ContinuousClock.Instant) {
        timer?.cancel()
        timer = EventLoop.shared.schedule(after: instant - EventLoop.now) { [weak self] in
            guard let self else { return }
            run { $0.woke(at: EventLoop.now) }
            receive()
        }
    }

    private func publish(_ answer: Connectivity) {
        guard answer != connectivity else { return }
        connectivity = answer
        for key in observers.keys.sorted() { observers[key]?(answer) }
    }
}
