import CFerryLinux
import Glibc

/// A delay that systemd-logind grants before the machine shuts down or sleeps, where there is a logind.
///
/// Holds an inhibitor of the kind `delay`, and tells when one of the two is about to happen.
/// From https://systemd.io/INHIBITOR_LOCKS/ and org.freedesktop.login1(5). Where there is no
/// libsystemd, no system bus or no logind, nothing is held and nothing is told.
@LoopActor
package final class ShutdownDelay {
    /// What a process is told of by logind.
    package enum Event: Hashable, Sendable {
        /// The machine is about to do something, which waits so long for this process.
        case prepares(Preparation, delay: Duration)
        /// It is not going to any more, or is back.
        case goesOn(Preparation)
        /// Nothing will be told any more.
        case lost
    }

    /// What the machine prepares for.
    package enum Preparation: Hashable, Sendable {
        case shutdown
        case sleep
    }

    private static let manager = BusObject(
        service: "org.freedesktop.login1",
        path: "/org/freedesktop/login1",
        interface: "org.freedesktop.login1.Manager"
    )
    private static let loading = BlockingQueue(label: "ferry.systemd")

    private let who: String
    private let why: String
    private let handler: @LoopActor (Event) -> Void
    private var bus: SystemBus?
    private var inhibitor: Int32?
    private var longestDelay = Duration.zero
    private var isReleased = false

    /// Asks for the delay, without waiting for the answer.
    ///
    /// - Parameters:
    ///   - who: The name of the application, for people.
    ///   - why: What it has to do, for people.
    ///   - handler: Called on the loop until ``release()``.
    package init(who: String, why: String, handler: @escaping @LoopActor (Event) -> Void) {
        self.who = who
        self.why = why
        self.handler = handler
        LoopActor.task { await self.start() }
    }

    /// Lets the machine go on, and tells nothing any more.
    package func release() {
        isReleased = true
        if let inhibitor { close(inhibitor) }
        inhibitor = nil
        bus?.close()
        bus = nil
    }

    private func start() async {
        // The dynamic linker reads files.
        let library = await Self.loading.run { SystemdLibrary.shared }
        guard !isReleased, let library else { return }
        do {
            let bus = try SystemBus(library) { [weak self] in self?.busWasLost() }
            self.bus = bus
            try ask(bus)
        } catch {
            busWasLost()
        }
    }

    /// Subscribes before it asks, so that nothing is missed.
    private func ask(_ bus: SystemBus) throws(SystemCallError) {
        try bus.subscribe(to: "PrepareForShutdown", of: Self.manager) { [weak self] message in
            self?.prepare(for: .shutdown, message)
        }
        try bus.subscribe(to: "PrepareForSleep", of: Self.manager) { [weak self] message in
            self?.prepare(for: .sleep, message)
        }
        try bus.get("InhibitDelayMaxUSec", of: Self.manager) { [weak self] value in
            guard let microseconds = value?.integer() else { return }
            self?.longestDelay = .microseconds(Int64(clamping: microseconds))
        }
        let arguments = ["shutdown:sleep", who, why, "delay"]
        try bus.call("Inhibit", of: Self.manager, arguments) { [weak self] answer in
            // Without one, what is coming is told nevertheless.
            self?.inhibitor = answer?.descriptor()
        }
    }

    private func prepare(for preparation: Preparation, _ message: BusMessage) {
        guard let isAboutTo = message.boolean() else { return }
        let delay = inhibitor == nil ? .zero : longestDelay
        handler(isAboutTo ? .prepares(preparation, delay: delay) : .goesOn(preparation))
    }

    private func busWasLost() {
        guard !isReleased else { return }
        release()
        handler(.lost)
    }
}
