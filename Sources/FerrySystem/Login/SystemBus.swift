import CFerryLinux
import Glibc

/// A connection to the system bus, by libsystemd, on the event loop.
///
/// Nothing here waits. Calls may be queued before the connection is made.
@LoopActor
final class SystemBus {
    /// The context that libsystemd receives for a call or a subscription.
    @LoopActor
    private final class Recipient {
        let library: SystemdLibrary
        let handle: @LoopActor (BusMessage) -> Void

        init(_ library: SystemdLibrary, _ handle: @escaping @LoopActor (BusMessage) -> Void) {
            self.library = library
            self.handle = handle
        }
    }

    private let library: SystemdLibrary
    private let lost: @LoopActor () -> Void
    private var bus: OpaquePointer?
    private var watch: Watch?
    private var timer: LoopTimer?
    /// Kept until the connection is closed, after which nothing is called.
    private var recipients: [Recipient] = []

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - library: The functions.
    ///   - lost: Called once if the connection fails or ends, unless it has been closed.
    /// - Throws: The function that has failed.
    init(
        _ library: SystemdLibrary,
        lost: @escaping @LoopActor () -> Void
    ) throws(SystemCallError) {
        self.library = library
        self.lost = lost
        try Self.check("sd_bus_open_system", library.openSystem(&bus))
        do {
            try startWatching()
        } catch {
            close()
            throw error
        }
    }

    private func startWatching() throws(SystemCallError) {
        let descriptor = try Self.check("sd_bus_get_fd", library.descriptor(bus))
        // The descriptor becomes writable as soon as there is a connection; then it is known what to wait
        // for.
        let readiness: Readiness = [.readable, .writable]
        watch = try EventLoop.shared.watch(descriptor, for: readiness) { [weak self] _ in
            self?.process()
        }
    }

    /// Ends the connection; nothing is called afterwards.
    func close() {
        watch?.cancel()
        timer?.cancel()
        (watch, timer) = (nil, nil)
        guard let bus else { return }
        self.bus = nil
        _ = library.close(bus)
        recipients = []
    }

    /// Calls `handler` for each of an object's signals with that name, once the bus has registered the
    /// subscription.
    func subscribe(
        to signal: String,
        of object: BusObject,
        handler: @escaping @LoopActor (BusMessage) -> Void
    ) throws(SystemCallError) {
        try Self.check(
            "sd_bus_match_signal_async",
            library.matchSignal(
                bus,
                nil,
                object.service,
                object.path,
                object.interface,
                signal,
                Self.receive,
                nil,
                context(handler)
            )
        )
    }

    /// Requests a property of an object; the answer is nil if there is none.
    func get(
        _ property: String,
        of object: BusObject,
        answer: @escaping @LoopActor (BusMessage?) -> Void
    ) throws(SystemCallError) {
        let properties = BusObject(
            service: object.service,
            path: object.path,
            interface: "org.freedesktop.DBus.Properties"
        )
        try call("Get", of: properties, [object.interface, property]) { reply in
            if case .message(let message) = reply { answer(message) } else { answer(nil) }
        }
    }

    /// Calls an object's method.
    func call(
        _ method: String,
        of object: BusObject,
        _ arguments: [String],
        answer: @escaping @LoopActor (BusAnswer) -> Void
    ) throws(SystemCallError) {
        var message: OpaquePointer?
        try Self.check(
            "sd_bus_message_new_method_call",
            library.newMethodCall(
                bus,
                &message,
                object.service,
                object.path,
                object.interface,
                method
            )
        )
        // The connection has its own reference.
        defer { _ = library.release(message) }
        for argument in arguments {
            let type = CChar(truncatingIfNeeded: ("s" as Unicode.Scalar).value)
            let code = argument.withCString { library.append(message, type, $0) }
            try Self.check("sd_bus_message_append_basic", code)
        }
        let context = context { message in
            answer(message.errorText.map { .failure($0) } ?? .message(message))
        }
        // 0 stands for the usual limit, of 25 seconds.
        let code = library.call(bus, nil, message, Self.receive, context, 0)
        try Self.check("sd_bus_call_async", code)
        // What is to be waited for, and how long, has changed.
        prepareToWait()
    }

    private static let receive: SystemdLibrary.Handler = { message, context, _ in
        guard let message, let context else { return 0 }
        let kept = Unmanaged<Recipient>.fromOpaque(context)
        // Both stay on the loop, which has called sd_bus_process(3), which calls this.
        nonisolated(unsafe) let received = message
        LoopActor.assumeIsolated {
            let recipient = kept.takeUnretainedValue()
            recipient.handle(BusMessage(recipient.library, received))
        }
        return 0
    }

    private func context(
        _ handle: @escaping @LoopActor (BusMessage) -> Void
    ) -> UnsafeMutableRawPointer {
        let recipient = Recipient(library, handle)
        recipients.append(recipient)
        return Unmanaged.passUnretained(recipient).toOpaque()
    }

    /// Processes everything that needs no waiting.
    private func process() {
        while let bus {
            let code = library.process(bus, nil)
            if code < 0 { return fail() }
            if code == 0 { break }
        }
        prepareToWait()
    }

    /// Prepares as sd_bus_get_fd(3) requires: the events to wait for may differ each time.
    private func prepareToWait() {
        // A handler may have closed it.
        guard let bus else { return }
        let events = library.events(bus)
        guard events >= 0 else { return fail() }
        var readiness: Readiness = []
        if events & Int32(POLLIN) != 0 { readiness.insert(.readable) }
        if events & Int32(POLLOUT) != 0 { readiness.insert(.writable) }
        guard (try? watch?.update(readiness)) != nil else { return fail() }
        setTimer(bus)
    }

    private func setTimer(_ bus: OpaquePointer) {
        timer?.cancel()
        timer = nil
        // A time of CLOCK_MONOTONIC, in microseconds.
        var due: UInt64 = 0
        guard library.timeout(bus, &due) >= 0, due != .max else { return }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
        let delay = Duration.microseconds(Int64(clamping: due) - microseconds)
        timer = EventLoop.shared.schedule(after: delay) { [weak self] in self?.process() }
    }

    private func fail() {
        close()
        lost()
    }

    @discardableResult
    private static func check(_ function: String, _ code: Int32) throws(SystemCallError) -> Int32 {
        // sd-bus returns the negative of an errno.
        guard code >= 0 else { throw SystemCallError(call: function, errno: -code) }
        return code
    }
}

/// An object on the system bus that has methods, properties and signals.
struct BusObject: Hashable, Sendable {
    let service: String
    let path: String
    let interface: String
}

/// The answer to a call over the bus.
enum BusAnswer {
    /// The reply, while it is being handled.
    case message(BusMessage)
    /// The reason, for people, why the call has failed.
    case failure(String)
}

/// A message of the bus, while it is being handled; its values are read in order.
struct BusMessage {
    private let library: SystemdLibrary
    private let message: OpaquePointer

    init(_ library: SystemdLibrary, _ message: OpaquePointer) {
        self.library = library
        self.message = message
    }

    /// The reason why a call has failed, if the message is an error reply to one.
    var errorText: String? {
        guard library.isError(message, nil) > 0 else { return nil }
        // sd_bus_error(3): its name, then its description, which may be missing.
        let texts = library.error(message)?.assumingMemoryBound(to: SystemdLibrary.Text?.self)
        return (texts?[1] ?? texts?[0]).map { String(cString: $0) } ?? "unknown error"
    }

    /// The next value, if it is a boolean.
    func boolean() -> Bool? {
        var value: Int32 = 0
        return read("b", into: &value) ? value != 0 : nil
    }

    /// The next value, if it is a variant that holds an unsigned integer of 64 bits.
    func integer() -> UInt64? {
        var value: UInt64 = 0
        guard library.enter(message, Self.type("v"), "t") > 0, read("t", into: &value) else {
            return nil
        }
        return value
    }

    /// The next value, if it is a descriptor: a duplicate that the caller owns, closed on exec.
    func descriptor() -> Int32? {
        var value: Int32 = -1
        guard read("h", into: &value) else { return nil }
        // The message closes its own descriptor.
        let own = fcntl(value, F_DUPFD_CLOEXEC, 3)
        return own < 0 ? nil : own
    }

    private func read<Value>(_ type: Unicode.Scalar, into value: inout Value) -> Bool {
        withUnsafeMutablePointer(to: &value) { library.read(message, Self.type(type), $0) > 0 }
    }

    private static func type(_ scalar: Unicode.Scalar) -> CChar {
        CChar(truncatingIfNeeded: scalar.value)
    }
}
