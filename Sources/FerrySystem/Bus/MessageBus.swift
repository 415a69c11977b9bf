import CFerryLinux
import Glibc

/// A connection to a D-Bus message bus, by libsystemd, on the event loop.
///
/// Nothing here waits. Calls may be queued before the connection is made.
@LoopActor
final class MessageBus {
    /// What libsystemd calls for a call or a subscription.
    @LoopActor
    private final class Recipient {
        let key: UInt64
        private weak let bus: MessageBus?
        private let isCalledOnce: Bool
        private let handle: @LoopActor (BusMessage) -> Void

        init(
            _ bus: MessageBus,
            _ key: UInt64,
            isCalledOnce: Bool,
            _ handle: @escaping @LoopActor (BusMessage) -> Void
        ) {
            self.bus = bus
            self.key = key
            self.isCalledOnce = isCalledOnce
            self.handle = handle
        }

        func receive(_ message: OpaquePointer) {
            guard let bus else { return }
            if isCalledOnce { bus.recipients[key] = nil }
            handle(BusMessage(bus.library, message))
        }
    }

    /// The process's thread for loading libsystemd: the dynamic linker reads files.
    private static let loading = BlockingQueue(label: "ferry.systemd")

    private let library: SystemdLibrary
    private let lost: @LoopActor () -> Void
    private var bus: OpaquePointer?
    private var watch: Watch?
    /// The descriptor of ``watch``: that of inotify(7) while the socket is missing, or the socket.
    private var watched: Int32 = -1
    private var timer: LoopTimer?
    /// Whether libsystemd is processing, after which it is known anyway what to wait for.
    private var isProcessing = false
    private var lastKey: UInt64 = 0
    /// Kept for libsystemd, which has only their addresses.
    private var recipients: [UInt64: Recipient] = [:]
    private var slots: [UInt64: OpaquePointer] = [:]

    /// The library, which is loaded at the first use; nil if it is missing.
    static func library() async -> SystemdLibrary? { await loading.run { SystemdLibrary.shared } }

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - address: Where the bus listens.
    ///   - library: The functions.
    ///   - waits: Whether to wait for a socket that is missing or that nobody listens at, by inotify(7),
    ///     rather than to fail. What is sent meanwhile is queued.
    ///   - lost: Called once if the connection fails or ends, unless it has been closed.
    /// - Throws: The function that has failed.
    init(
        _ address: BusAddress,
        _ library: SystemdLibrary,
        waits: Bool = false,
        lost: @escaping @LoopActor () -> Void
    ) throws(SystemCallError) {
        self.library = library
        self.lost = lost
        guard !address.text.isEmpty else {
            throw SystemCallError(call: "sd_bus_set_address", errno: ENOENT)
        }
        try Self.check("sd_bus_new", library.new(&bus))
        do {
            try Self.check("sd_bus_set_address", library.setAddress(bus, address.text))
            try Self.check("sd_bus_set_bus_client", library.setBusClient(bus, 1))
            try Self.check("sd_bus_set_watch_bind", library.setWatchBind(bus, waits ? 1 : 0))
            try Self.check("sd_bus_start", library.start(bus))
            try startWatching()
        } catch {
            close()
            throw error
        }
    }

    /// Ends the connection; nothing is called afterwards.
    func close() {
        watch?.cancel()
        timer?.cancel()
        (watch, timer) = (nil, nil)
        guard let bus else { return }
        self.bus = nil
        // Each of them keeps the connection's memory.
        for slot in slots.values { _ = library.releaseSlot(slot) }
        _ = library.close(bus)
        slots = [:]
        recipients = [:]
    }

    /// Calls `handler` for each of an object's signals with that name, once the bus has registered the
    /// subscription.
    ///
    /// - Parameters:
    ///   - signal: The signal's name.
    ///   - object: The sender, which need not be there.
    ///   - argument: The signal's first argument, if only signals with this one matter.
    ///   - handler: Called on the loop.
    /// - Returns: What ``cancel(_:)`` ends; otherwise it lasts as long as the connection.
    /// - Throws: The function that has failed.
    @discardableResult
    func subscribe(
        to signal: String,
        of object: BusObject,
        about argument: String? = nil,
        handler: @escaping @LoopActor (BusMessage) -> Void
    ) throws(SystemCallError) -> BusSubscription {
        let rule =
            "type='signal',sender='\(object.service)',path='\(object.path)',"
            + "interface='\(object.interface)',member='\(signal)'"
            + (argument.map { ",arg0='\($0)'" } ?? "")
        var slot: OpaquePointer?
        let recipient = recipient(isCalledOnce: false, handler)
        let context = Unmanaged.passUnretained(recipient).toOpaque()
        do {
            try Self.check(
                "sd_bus_add_match_async",
                library.addMatch(bus, &slot, rule, Self.receive, nil, context)
            )
        } catch {
            recipients[recipient.key] = nil
            throw error
        }
        slots[recipient.key] = slot
        sent()
        return BusSubscription(key: recipient.key)
    }

    /// Ends a subscription; its handler is not called again and is released.
    func cancel(_ subscription: BusSubscription) {
        guard let slot = slots.removeValue(forKey: subscription.key) else { return }
        _ = library.releaseSlot(slot)
        recipients[subscription.key] = nil
        sent()
    }

    /// Calls `handler` whenever a service gets an owner (true) or loses it (false).
    @discardableResult
    func subscribeToOwner(
        of service: String,
        handler: @escaping @LoopActor (Bool) -> Void
    ) throws(SystemCallError) -> BusSubscription {
        try subscribe(to: "NameOwnerChanged", of: .bus, about: service) { message in
            // The name, the former owner, the new one.
            guard message.string() != nil, message.string() != nil, let owner = message.string()
            else { return }
            handler(!owner.isEmpty)
        }
    }

    /// Requests a property of an object; the answer is nil if there is none.
    func get(
        _ property: String,
        of object: BusObject,
        starts: Bool = true,
        answer: @escaping @LoopActor (BusMessage?) -> Void
    ) throws(SystemCallError) {
        try call("Get", of: object.properties, [object.interface, property], starts: starts) {
            answer($0.message)
        }
    }

    /// Calls an object's method.
    ///
    /// - Parameters:
    ///   - method: The method's name.
    ///   - object: The object.
    ///   - arguments: The arguments, all of which are strings.
    ///   - starts: Whether the bus may start the service, if it can.
    ///   - timeout: How long to wait for the answer, by default as long as sd-bus does; nil for as long as the
    ///     service has its connection.
    ///   - answer: Called once on the loop.
    /// - Throws: The function that has failed.
    func call(
        _ method: String,
        of object: BusObject,
        _ arguments: [String] = [],
        starts: Bool = true,
        timeout: Duration? = .seconds(25),
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
        try Self.check(
            "sd_bus_message_set_auto_start",
            library.setAutoStart(message, starts ? 1 : 0)
        )
        for argument in arguments {
            let type = CChar(truncatingIfNeeded: ("s" as Unicode.Scalar).value)
            let code = argument.withCString { library.append(message, type, $0) }
            try Self.check("sd_bus_message_append_basic", code)
        }
        let recipient = recipient(isCalledOnce: true) { message in
            answer(message.errorText.map { .failure($0) } ?? .message(message))
        }
        let context = Unmanaged.passUnretained(recipient).toOpaque()
        let limit = timeout.map(Self.microseconds) ?? .max
        do {
            let code = library.call(bus, nil, message, Self.receive, context, limit)
            try Self.check("sd_bus_call_async", code)
        } catch {
            recipients[recipient.key] = nil
            throw error
        }
        sent()
    }

    private static let receive: SystemdLibrary.Handler = { message, context, _ in
        guard let message, let context else { return 0 }
        let kept = Unmanaged<Recipient>.fromOpaque(context)
        // Both stay on the loop, which has called sd_bus_process(3), which calls this.
        nonisolated(unsafe) let received = message
        LoopActor.assumeIsolated { kept.takeUnretainedValue().receive(received) }
        return 0
    }

    private func recipient(
        isCalledOnce: Bool,
        _ handle: @escaping @LoopActor (BusMessage) -> Void
    ) -> Recipient {
        lastKey += 1
        let recipient = Recipient(self, lastKey, isCalledOnce: isCalledOnce, handle)
        recipients[lastKey] = recipient
        return recipient
    }

    private func startWatching() throws(SystemCallError) {
        let descriptor = try Self.check("sd_bus_get_fd", library.descriptor(bus))
        // A socket becomes writable as soon as there is a connection; then it is known what to wait for.
        let readiness: Readiness = [.readable, .writable]
        watch?.cancel()
        watch = try EventLoop.shared.watch(descriptor, for: readiness) { [weak self] _ in
            self?.process()
        }
        watched = descriptor
    }

    /// Processes everything that needs no waiting.
    private func process() {
        isProcessing = true
        while let bus {
            let code = library.process(bus, nil)
            // Before anything else can get the number of a descriptor that libsystemd has closed.
            guard code >= 0, followDescriptor() else { return fail() }
            if code == 0 { break }
        }
        isProcessing = false
        prepareToWait()
    }

    /// Waits for what a message that was sent requires: room for it, and the end of its time.
    private func sent() {
        if !isProcessing { prepareToWait() }
    }

    /// Watches the socket once it has taken the place of the descriptor that waited for it.
    private func followDescriptor() -> Bool {
        // A handler may have closed the connection.
        guard let bus, library.descriptor(bus) != watched else { return true }
        return (try? startWatching()) != nil
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

    private static func microseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        return UInt64(clamping: seconds) * 1_000_000
            + UInt64(clamping: attoseconds / 1_000_000_000_000)
    }

    @discardableResult
    private static func check(_ function: String, _ code: Int32) throws(SystemCallError) -> Int32 {
        // sd-bus returns the negative of an errno.
        guard code >= 0 else { throw SystemCallError(call: function, errno: -code) }
        return code
    }
}

/// A subscription to a signal, as the connection knows it.
struct BusSubscription: Hashable, Sendable {
    fileprivate let key: UInt64
}

/// An object on a bus that has methods, properties and signals.
struct BusObject: Hashable, Sendable {
    let service: String
    let path: String
    let interface: String

    /// The bus itself.
    static let bus = BusObject(
        service: "org.freedesktop.DBus",
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus"
    )

    /// The object's properties, in the interface that all objects have for them.
    var properties: BusObject {
        BusObject(
            service: service,
            path: path,
            interface: "org.freedesktop.DBus.Properties"
        )
    }
}
