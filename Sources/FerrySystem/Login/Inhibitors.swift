import CFerryLinux
import Glibc

/// The inhibitors that a process holds with systemd-logind, if there is a logind, and what logind announces.
///
/// From https://systemd.io/INHIBITOR_LOCKS/ and org.freedesktop.login1(5). Without libsystemd, a system bus or
/// logind, nothing is held. A bus or a logind that comes, or comes back, is asked for everything anew; what the former
/// one has announced counts no more.
@LoopActor
package final class Inhibitors {
    /// An event that logind reports to a process.
    package enum Event: Hashable, Sendable {
        /// The machine is about to shut down or sleep, and waits for this process for up to `delay`.
        case prepares(Preparation, delay: Duration)
        /// The machine no longer prepares for it, or is back.
        case goesOn(Preparation)
        /// Logind does not grant an inhibitor, for this reason.
        case refused(Inhibitor, String)
        /// There is no bus: nothing is held, and nothing will be reported unless it comes back.
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

    private let who: String
    private let handler: @LoopActor (Event) -> Void
    private var bus: MessageBus?
    /// When the bus is connected to; nil while nothing has been tried.
    private var attempts = BusAttempts()
    private var timer: LoopTimer?
    /// What logind has announced, and has not taken back.
    private var announced: Set<Preparation> = []
    /// The number of the bus's or logind's successor: answers to an earlier one count no more.
    private var generation = 0
    private var wanted: Set<Inhibitor>
    /// Those that logind has been asked for, and has not answered about.
    private var requested: Set<Inhibitor> = []
    private var descriptors: [Inhibitor: Int32] = [:]
    private var longestDelay = Duration.zero
    private var isReleased = false

    /// Requests inhibitors, without waiting for the answer.
    ///
    /// - Parameters:
    ///   - who: The name of the application, for people.
    ///   - wanted: The inhibitors.
    ///   - handler: Called on the loop until ``release()``.
    package init(
        who: String,
        _ wanted: Set<Inhibitor>,
        handler: @escaping @LoopActor (Event) -> Void
    ) {
        self.who = who
        self.wanted = wanted
        self.handler = handler
        LoopActor.task { await self.connect(waits: false) }
    }

    /// The inhibitors that logind has granted.
    package var held: Set<Inhibitor> { Set(descriptors.keys) }

    /// Requests other inhibitors in place of the present ones; without any, events are still reported.
    package func hold(_ wanted: Set<Inhibitor>) {
        self.wanted = wanted
        for inhibitor in held.subtracting(wanted) { letGo(of: inhibitor) }
        if let bus { return use(bus, request) }
        guard attempts.state == .givenUp, !wanted.isEmpty else { return }
        attempts = BusAttempts()
        LoopActor.task { await self.connect(waits: false) }
    }

    /// Lets the machine continue, and reports nothing afterwards.
    package func release() {
        isReleased = true
        timer?.cancel()
        disconnect()
    }

    private func letGo(of inhibitor: Inhibitor) {
        if let descriptor = descriptors.removeValue(forKey: inhibitor) { close(descriptor) }
    }

    // MARK: The bus

    private func connect(waits: Bool) async {
        let library = await MessageBus.library()
        guard !isReleased, bus == nil else { return }
        guard let library else {
            attempts.giveUp()
            return handler(.lost)
        }
        do throws(SystemCallError) {
            let bus = try MessageBus(.system, library, waits: waits) { [weak self] in
                self?.busWasLost()
            }
            self.bus = bus
            attempts.opened()
            try subscribe(to: bus)
            try request(from: bus)
        } catch {
            busWasLost()
        }
    }

    private func busWasLost() {
        guard !isReleased else { return }
        disconnect()
        connectAgain()
        handler(.lost)
    }

    private func disconnect() {
        forgetLogind()
        bus?.close()
        bus = nil
    }

    private func connectAgain() {
        switch attempts.failed(at: EventLoop.now) {
        case .opening:
            LoopActor.task { await self.connect(waits: true) }
        case .resting(let end):
            timer = EventLoop.shared.schedule(after: end - EventLoop.now) { [weak self] in
                guard let self, attempts.woke(at: EventLoop.now) else { return }
                LoopActor.task { await self.connect(waits: true) }
            }
        case .open, .givenUp:
            break
        }
    }

    /// Uses the connection to the bus, which is lost if that fails.
    private func use(
        _ bus: MessageBus,
        _ body: (MessageBus) throws(SystemCallError) -> Void
    ) {
        do throws(SystemCallError) {
            try body(bus)
        } catch {
            busWasLost()
        }
    }

    // MARK: Logind

    /// What logind has granted and announced was that logind's.
    private func forgetLogind() {
        generation += 1
        requested = []
        announced = []
        for inhibitor in held { letGo(of: inhibitor) }
    }

    private func ownerChanged(isThere: Bool) {
        let withdrawn = announced
        forgetLogind()
        if isThere, let bus { use(bus, request) }
        for preparation in withdrawn { handler(.goesOn(preparation)) }
    }

    /// Subscribes before anything is requested, so that nothing is missed.
    private func subscribe(to bus: MessageBus) throws(SystemCallError) {
        try bus.subscribeToOwner(of: Self.manager.service) { [weak self] isThere in
            self?.ownerChanged(isThere: isThere)
        }
        try bus.subscribe(to: "PrepareForShutdown", of: Self.manager) { [weak self] message in
            self?.prepare(for: .shutdown, message)
        }
        try bus.subscribe(to: "PrepareForSleep", of: Self.manager) { [weak self] message in
            self?.prepare(for: .sleep, message)
        }
    }

    private func request(from bus: MessageBus) throws(SystemCallError) {
        let generation = generation
        // Another logind may have other settings. One that is not there is not started: it is asked when it comes.
        try bus.get("InhibitDelayMaxUSec", of: Self.manager, starts: false) { [weak self] value in
            guard let microseconds = value?.integer() else { return }
            self?.longestDelay = .microseconds(Int64(clamping: microseconds))
        }
        for inhibitor in wanted.subtracting(held).subtracting(requested) {
            requested.insert(inhibitor)
            let arguments = [inhibitor.what, who, inhibitor.why, inhibitor.mode.rawValue]
            try bus.call("Inhibit", of: Self.manager, arguments, starts: false) {
                [weak self] answer in
                guard let self, self.generation == generation else { return }
                answered(inhibitor, answer)
            }
        }
    }

    private func answered(_ inhibitor: Inhibitor, _ answer: BusAnswer) {
        requested.remove(inhibitor)
        switch answer {
        case .message(let message):
            attempts.worked()
            guard let descriptor = message.descriptor() else { return }
            descriptors[inhibitor] = descriptor
            if !wanted.contains(inhibitor) { letGo(of: inhibitor) }
        case .failure(let reason):
            // Without an inhibitor, events are still reported.
            handler(.refused(inhibitor, reason))
        }
    }

    private func prepare(for preparation: Preparation, _ message: BusMessage) {
        guard let isAboutTo = message.boolean() else { return }
        if isAboutTo { announced.insert(preparation) } else { announced.remove(preparation) }
        let isDelayed = held.contains { $0.mode == .delay }
        let delay = isDelayed ? longestDelay : .zero
        handler(isAboutTo ? .prepares(preparation, delay: delay) : .goesOn(preparation))
    }
}

/// An inhibitor of systemd-logind.
package struct Inhibitor: Hashable, Sendable {
    /// The effect of an inhibitor.
    package enum Mode: String, Hashable, Sendable {
        /// The machine waits, for up to `InhibitDelayMaxSec=` (logind.conf(5)).
        case delay
        /// The machine does not do it by itself.
        case block
    }

    /// The effect.
    package let mode: Mode
    /// What is inhibited, in the words of logind, such as `shutdown:sleep`.
    package let what: String
    /// The reason, for people.
    package let why: String

    /// Describes an inhibitor that delays shutdown and sleep.
    package static func delay(why: String) -> Inhibitor {
        Inhibitor(mode: .delay, what: "shutdown:sleep", why: why)
    }

    /// Describes an inhibitor that keeps the machine from sleeping by itself.
    ///
    /// It leaves the screen alone, which `idle` would keep on. Closing the lid has its usual effect
    /// (`LidSwitchIgnoreInhibited=` of logind.conf(5)).
    package static func awake(why: String) -> Inhibitor {
        Inhibitor(mode: .block, what: "sleep", why: why)
    }
}
