import CFerryLinux
import Glibc

/// A delay that systemd-logind grants before the machine shuts down or sleeps, if there is a logind.
///
/// Holds an inhibitor of the kind `delay`, and reports when one of the two is about to happen. From
/// https://systemd.io/INHIBITOR_LOCKS/ and org.freedesktop.login1(5). Without libsystemd, a system bus or
/// logind, nothing is held, and only ``Event/lost`` is reported.
@LoopActor
package final class ShutdownDelay {
    /// An event that logind reports to a process.
    package enum Event: Hashable, Sendable {
        /// The machine is about to shut down or sleep, and waits for this process for up to `delay`.
        case prepares(Preparation, delay: Duration)
        /// The machine no longer prepares for it, or is back.
        case goesOn(Preparation)
        /// No more events will be reported.
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

    /// Requests the delay, without waiting for the answer.
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

    /// Lets the machine continue, and reports nothing afterwards.
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
            // Without an inhibitor, events are still reported.
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
