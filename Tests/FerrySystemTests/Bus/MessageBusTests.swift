import FerryTestSupport
import FoundationEssentials
import Testing

@testable import FerrySystem

@Suite(.serialized, .timeLimit(.minutes(1)))
@LoopActor
struct MessageBusTests {
    private static let network = ConditionsSource.networkManager.object
    private static let upower = ConditionsSource.upower.object

    @Test func `the values of an object are read by their types`() async throws {
        let services = try await MockedServices()
        try await services.set(.any(.upower, name: "IsDocked", type: "i", value: "-5"))
        let bus = try await Self.connect(services)
        let network = try await Self.values(of: Self.network, bus)
        #expect(network["Metered"] == .uint32(4))
        #expect(network["PrimaryConnectionType"] == .string("802-11-wireless"))
        #expect(network["NetworkingEnabled"] == .boolean(true))
        #expect(network["Devices"] == .objectPaths([]))
        let upower = try await Self.values(of: Self.upower, bus)
        #expect(upower["IsDocked"] == .int32(-5))
        let path = AsyncValue<BusValue?>()
        try bus.call("GetDisplayDevice", of: Self.upower) { path.set($0.message?.value()) }
        #expect(
            await path.value == .objectPath("/org/freedesktop/UPower/devices/DisplayDevice")
        )
        let paths = AsyncValue<BusValue?>()
        try bus.call("EnumerateDevices", of: Self.upower) { paths.set($0.message?.value()) }
        #expect(await paths.value == .objectPaths([]))
        bus.close()
    }

    @Test func `values of types that nothing reads are passed over`() async throws {
        let services = try await MockedServices(running: [.formerPowerProfiles])
        let bus = try await Self.connect(services)
        // `Profiles` is an array of dictionaries, `ActiveProfileHolds` one of structures.
        let values = try await Self.values(of: ConditionsSource.formerPowerProfiles.object, bus)
        #expect(values["Profiles"] == .other)
        #expect(values["ActiveProfileHolds"] == .other)
        #expect(values["ActiveProfile"] == .string("balanced"))
        bus.close()
    }

    @Test func `an answer that does not come in time is none`() async throws {
        let services = try await MockedServices(running: [.upower])
        let bus = try await Self.connect(services)
        try await services.hang(.upower)
        let answer = AsyncValue<Bool>()
        try bus.call("EnumerateDevices", of: Self.upower, timeout: .milliseconds(50)) {
            answer.set($0.message != nil)
        }
        #expect(await answer.value == false)
        bus.close()
    }

    @Test func `a call that fails says why`() async throws {
        let services = try await MockedServices(running: [])
        let bus = try await Self.connect(services)
        let reason = AsyncValue<String>()
        try bus.call("EnumerateDevices", of: Self.upower, starts: false) { answer in
            if case .failure(let text) = answer { reason.set(text) } else { reason.set("") }
        }
        #expect(await reason.value.contains("org.freedesktop.UPower"))
        bus.close()
    }

    @Test func `a subscription that is cancelled reports nothing`() async throws {
        let services = try await MockedServices(running: [])
        let bus = try await Self.connect(services)
        let first = Recorder<Bool>()
        let subscription = try bus.subscribeToOwner(of: Self.upower.service) { first.append($0) }
        let second = AsyncStream<Bool>.makeStream()
        try bus.subscribeToOwner(of: Self.upower.service) { second.continuation.yield($0) }
        var changes = second.stream.makeAsyncIterator()
        // The bus answers when it has registered both.
        #expect(try await Self.answers(bus))
        try await services.start(.upower)
        #expect(await changes.next() == true)
        bus.cancel(subscription)
        bus.cancel(subscription)
        try await services.stop(.upower)
        #expect(await changes.next() == false)
        #expect(first.elements == [true])
        bus.close()
    }

    @Test func `the end of the bus is told once`() async throws {
        let services = try await MockedServices(running: [])
        let ends = Recorder<Void>()
        let end = AsyncValue<Bool>()
        let bus = try await Self.connect(services) {
            ends.append(())
            end.set(true)
        }
        #expect(try await Self.answers(bus))
        try await services.stopBus()
        #expect(await end.value)
        bus.close()
        #expect(ends.elements.count == 1)
    }

    @Test func `a missing socket is an error, or is waited for`() async throws {
        let directory = try TemporaryDirectory()
        let address = BusAddress("unix:path=\(directory.path)/bus")
        let library = try #require(await MessageBus.library())
        #expect(throws: SystemCallError.self) { try MessageBus(address, library) {} }
        let bus = try MessageBus(address, library, waits: true) { Issue.record("lost") }
        bus.close()
    }

    private static func connect(
        _ services: MockedServices,
        lost: @escaping @LoopActor () -> Void = {}
    ) async throws -> MessageBus {
        let library = try #require(await MessageBus.library())
        return try MessageBus(BusAddress(services.address), library, lost: lost)
    }

    /// Whether the bus itself answers a call, after all earlier ones.
    private static func answers(_ bus: MessageBus) async throws -> Bool {
        let answer = AsyncValue<Bool>()
        try bus.call("GetId", of: .bus) { answer.set($0.message?.string() != nil) }
        return await answer.value
    }

    private static func values(
        of object: BusObject,
        _ bus: MessageBus
    ) async throws -> [String: BusValue] {
        let values = AsyncValue<[String: BusValue]>()
        try bus.call("GetAll", of: object.properties, [object.interface]) {
            values.set($0.message?.properties() ?? [:])
        }
        return await values.value
    }
}
