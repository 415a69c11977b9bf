import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import FerrySystem

/// What the monitor tells of services on a bus, which do as they are told.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ConditionsMonitorTests {
    private static let desktop: [ConditionsSource] = [
        .networkManager, .upower, .powerProfiles, .formerPowerProfiles,
    ]
    private static let portals: [ConditionsSource] = [.networkPortal, .powerProfilePortal]

    @Test func `each service's changes are told`() async throws {
        let services = try await MockedServices()
        let observer = await Observer(services, Self.desktop, .all)
        #expect(await observer.next() == [])
        try await services.set(.metered(3))
        #expect(await observer.next() == .expensiveNetwork)
        try await services.set(.metered(1))
        #expect(await observer.next() == [.expensiveNetwork, .constrainedNetwork])
        try await services.set(.connectionType("gsm"))
        #expect(await observer.next() == .network)
        try await services.set(.metered(2))
        #expect(await observer.next() == .cellularNetwork)
        try await services.set(.onBattery(true))
        #expect(await observer.next() == [.cellularNetwork, .battery])
        try await services.set(.profile("power-saver"))
        #expect(
            await observer.next()
                == [.cellularNetwork, .battery, .powerSaver, .constrainedNetwork]
        )
        try await services.set(.profile("performance"))
        #expect(await observer.next() == [.cellularNetwork, .battery])
        await observer.end()
    }

    @Test func `what holds already is told first`() async throws {
        let services = try await MockedServices(running: [.upower, .formerPowerProfiles])
        try await services.set(.onBattery(true))
        try await services.set(.formerProfile("power-saver"))
        let observer = await Observer(services, Self.desktop, .power)
        #expect(await observer.next() == .power)
        #expect(
            await observer.services == [
                .init(name: "org.freedesktop.UPower", state: .answers),
                .init(name: "org.freedesktop.UPower.PowerProfiles", state: .absent),
                .init(name: "net.hadess.PowerProfiles", state: .answers),
            ]
        )
        await observer.end()
    }

    @Test func `in a sandbox the portals tell`() async throws {
        let services = try await MockedServices(running: [.portal])
        let observer = await Observer(services, Self.portals, .all)
        #expect(await observer.next() == [])
        try await services.set(.portalMetered(true))
        #expect(await observer.next() == .expensiveNetwork)
        try await services.set(.portalPowerSaver(true))
        #expect(
            await observer.next() == [.expensiveNetwork, .powerSaver, .constrainedNetwork]
        )
        try await services.set(.portalMetered(false))
        #expect(await observer.next() == [.powerSaver, .constrainedNetwork])
        await observer.end()
    }

    @Test func `a service that is not there counts as none of its conditions until it comes`()
        async throws
    {
        let services = try await MockedServices(running: [])
        let observer = await Observer(services, Self.desktop, [.battery])
        #expect(await observer.next() == [])
        #expect(
            await observer.services == [.init(name: "org.freedesktop.UPower", state: .absent)]
        )
        try await services.start(.upower)
        try await services.set(.onBattery(true))
        #expect(await observer.next() == .battery)
        // It may be restarting: what it has told holds for a second.
        try await services.stop(.upower)
        #expect(await observer.next() == [])
        try await services.start(.upower)
        try await services.set(.onBattery(true))
        #expect(await observer.next() == .battery)
        await observer.end()
    }

    @Test func `a service that hangs counts as none of its conditions until it goes on`()
        async throws
    {
        let services = try await MockedServices(running: [.networkManager, .upower])
        try await services.set(.onBattery(true))
        try await services.hang(.upower)
        let observer = await Observer(services, Self.desktop, [.battery, .expensiveNetwork])
        let began = ContinuousClock.now
        #expect(await observer.next() == [])
        #expect(ContinuousClock.now - began >= .milliseconds(900))
        #expect(
            await observer.services.last == .init(name: "org.freedesktop.UPower", state: .silent)
        )
        try await services.set(.metered(3))
        #expect(await observer.next() == .expensiveNetwork)
        try await services.resume(.upower)
        #expect(await observer.next() == [.expensiveNetwork, .battery])
        await observer.end()
    }

    @Test func `a service that lies counts as none of its conditions`() async throws {
        let services = try await MockedServices()
        try await services.set(.metered(1))
        try await services.set(.onBattery(true))
        let observer = await Observer(services, Self.desktop, .all)
        #expect(
            await observer.next() == [.expensiveNetwork, .constrainedNetwork, .battery]
        )
        try await services.set(
            .any(.networkManager, name: "Metered", type: "s", value: "1")
        )
        #expect(await observer.next() == .battery)
        try await services.set(.any(.upower, name: "OnBattery", type: "u", value: "1"))
        #expect(await observer.next() == [])
        try await services.set(
            .any(.powerProfiles, name: "ActiveProfile", type: "b", value: "true")
        )
        try await services.set(.onBattery(true))
        #expect(await observer.next() == .battery)
        await observer.end()
    }

    @Test func `where there is no bus, no condition holds, until the bus comes`() async throws {
        let services = try await MockedServices(running: [])
        try await services.stopBus()
        let observer = await Observer(services, Self.desktop, .all)
        #expect(await observer.next() == [])
        try await services.startBus()
        try await services.start(.upower)
        try await services.set(.onBattery(true))
        #expect(await observer.next() == .battery)
        // The same if it goes and comes back.
        try await services.stopBus()
        #expect(await observer.next() == [])
        try await services.startBus()
        try await services.start(.upower)
        try await services.set(.onBattery(true))
        #expect(await observer.next() == .battery)
        await observer.end()
    }

    @Test(arguments: ["", "tcp:host=192.0.2.1,port=1", "unixexec:path=/bin/sleep,argv1=9"])
    @LoopActor
    func `an address that is none, or would be waited for, is that of no bus`(
        address: String
    ) async {
        let monitor = ConditionsMonitor(available: Self.desktop) { _ in BusAddress(address) }
        let told = AsyncValue<Conditions?>()
        let observation = monitor.observe(.all) { told.set($0) }
        #expect(await told.value == [])
        observation.cancel()
    }

    @Test @LoopActor func `only what the observers want is asked`() async throws {
        let services = try await MockedServices()
        let monitor = ConditionsMonitor(available: Self.desktop) { _ in
            BusAddress(services.address)
        }
        #expect(monitor.services == [])
        #expect(monitor.conditions == nil)
        let none = monitor.observe(.outsideHours) { _ in }
        #expect(none.conditions == [])
        #expect(monitor.services == [])
        let battery = monitor.observe(.battery) { _ in }
        #expect(monitor.services.map(\.name) == ["org.freedesktop.UPower"])
        #expect(battery.conditions == nil)
        #expect(none.conditions == [])
        let cellular = monitor.observe(.cellularNetwork) { _ in }
        #expect(
            monitor.services.map(\.name) == [
                "org.freedesktop.NetworkManager", "org.freedesktop.UPower",
            ]
        )
        battery.cancel()
        battery.cancel()
        #expect(battery.conditions == nil)
        #expect(monitor.services.map(\.name) == ["org.freedesktop.NetworkManager"])
        cellular.cancel()
        none.cancel()
        #expect(monitor.services == [])
        #expect(monitor.conditions == nil)
    }

    @Test func `a thousand changes cost no descriptor, and no more calls than changes`()
        async throws
    {
        let services = try await MockedServices(running: [.networkManager, .upower])
        let observer = await Observer(services, Self.desktop, [.battery, .expensiveNetwork])
        #expect(await observer.next() == [])
        let before = Self.descriptorCount()
        try await services.alternate(1000, .metered(1), and: .metered(4))
        // What earlier tests have left may go meanwhile.
        #expect(Self.descriptorCount() <= before)
        // Whatever was told before: this is told last.
        try await services.set(.onBattery(true))
        while await observer.next() != .battery {}
        #expect(observer.count <= 1002)
        // No two calls in a row tell the same.
        #expect(zip(observer.told, observer.told.dropFirst()).allSatisfy { $0 != $1 })
        await observer.end()
        #expect(Self.descriptorCount() < before)
    }

    private static func descriptorCount() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
}

extension Conditions {
    fileprivate static let all: Conditions = [.network, .power]
}

/// An observer whose calls a test waits for.
private final class Observer: Sendable {
    private let calls = Recorder<Conditions?>()
    private let stream: AsyncStream<Conditions?>
    private let monitor: ConditionsMonitor
    private let observation: ConditionsObservation

    @LoopActor
    init(_ services: MockedServices, _ available: [ConditionsSource], _ kinds: Conditions) async {
        let address = services.address
        monitor = ConditionsMonitor(available: available) { _ in BusAddress(address) }
        let (stream, continuation) = AsyncStream<Conditions?>.makeStream()
        self.stream = stream
        observation = monitor.observe(kinds) { [calls] conditions in
            calls.append(conditions)
            continuation.yield(conditions)
        }
    }

    /// Everything that was told.
    var told: [Conditions?] { calls.elements }

    /// How often it was called.
    var count: Int { told.count }

    /// What is known of the services.
    var services: [ConditionsService] { get async { await monitor.services } }

    /// Waits for the next call.
    func next() async -> Conditions? {
        for await conditions in stream { return conditions }
        return nil
    }

    /// Ends the observation.
    @LoopActor
    func end() async { observation.cancel() }
}
