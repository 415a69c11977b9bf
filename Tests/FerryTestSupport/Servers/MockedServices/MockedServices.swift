import FerrySystem
import Glibc

/// A message bus of a test's own with services that tell of the machine's conditions, and can be stopped,
/// restarted and made to hang.
///
/// It is the system's bus and that of the session. It ends with this object.
package final class MockedServices: Sendable {
    /// A service.
    package enum Service: String, Sendable {
        case networkManager
        case upower
        case powerProfiles
        /// power-profiles-daemon by its former name.
        case formerPowerProfiles
        /// Both portals.
        case portal
    }

    /// A value that a service has.
    package enum Value: Sendable {
        /// NetworkManager's `Metered`: 0 unknown, 1 yes, 2 no, 3 yes by a guess, 4 no by a guess, as at first.
        case metered(Int)
        /// NetworkManager's `PrimaryConnectionType`: `802-11-wireless` at first, `gsm`; empty without one.
        case connectionType(String)
        /// UPower's `OnBattery`; false at first.
        case onBattery(Bool)
        /// The `ActiveProfile`: `balanced` at first, `power-saver`, `performance`.
        case profile(String)
        /// The same, by the former name of the service.
        case formerProfile(String)
        /// What the portal's `GetMetered` returns; false at first.
        case portalMetered(Bool)
        /// The portal's `power-saver-enabled`; false at first.
        case portalPowerSaver(Bool)
        /// A value with the code of its D-Bus type, of `u`, `i`, `b` and `s`.
        case any(Service, name: String, type: String, value: String)

        fileprivate var words: String {
            switch self {
            case .metered(let value): "networkManager Metered u \(value)"
            case .connectionType(let type): "networkManager PrimaryConnectionType s \"\(type)\""
            case .onBattery(let isTrue): "upower OnBattery b \(isTrue)"
            case .profile(let name): "powerProfiles ActiveProfile s \"\(name)\""
            case .formerProfile(let name): "formerPowerProfiles ActiveProfile s \"\(name)\""
            case .portalMetered(let isTrue): "portal metered b \(isTrue)"
            case .portalPowerSaver(let isTrue): "portal power-saver-enabled b \(isTrue)"
            case .any(let service, let name, let type, let value):
                "\(service.rawValue) \(name) \(type) \"\(value)\""
            }
        }
    }

    /// The bus' address.
    package let address: String
    private let home: TestHome
    private let events: EventPipe
    private let process: TestProcess
    private let commands: FileDescriptor

    /// Starts the bus and some services.
    ///
    /// - Parameter running: The services that run at first.
    /// - Throws: `SystemCallError`, or ``TestServerError`` when one does not start.
    package init(
        running: [Service] = [.networkManager, .upower, .powerProfiles]
    ) async throws {
        home = try TestHome()
        events = try await EventPipe(in: home, named: "services")
        address = "unix:path=\(home.path)/bus"
        let output = try events.writer()
        let error = try events.writer()
        var ends: [Int32] = [-1, -1]
        try systemCall("pipe") { pipe(&ends) }
        let input = FileDescriptor(owning: ends[0])
        commands = FileDescriptor(owning: ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        process = try await TestProcess(
            // Debian's own, for which its packages are.
            "/usr/bin/python3",
            [TestPython.file("Servers/MockedServices/mocked_services.py"), "\(home.path)/bus"],
            environment: home.environment,
            output: output.rawValue,
            error: error.rawValue,
            others: [0: input.rawValue],
            endsWithTests: true
        )
        _ = consume output
        _ = consume error
        _ = consume input
        Task { [process, events] in
            _ = await process.ended()
            events.write(Self.end)
        }
        try await finish("done")
        for service in running { try await start(service) }
    }

    /// The variables by which programs find the bus.
    package var variables: [String: String] {
        ["DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address]
    }

    /// Gives a service a value, which it reports to its subscribers before this returns.
    package func set(_ value: Value) async throws { try await carryOut("set \(value.words)") }

    /// Gives a value to a service that hangs, which takes it when it goes on.
    package func notify(_ value: Value) async throws { try await carryOut("tell \(value.words)") }

    /// Gives a service one of two values and the other in turn, as often as `count` says.
    package func alternate(_ count: Int, _ value: Value, and other: Value) async throws {
        let last = other.words.split(separator: " ").last ?? ""
        try await carryOut("alternate \(count) \(value.words) \(last)")
    }

    /// Starts a service that does not run.
    package func start(_ service: Service) async throws {
        try await carryOut("start \(service.rawValue)")
    }

    /// Kills a service; the bus knows when this returns.
    package func stop(_ service: Service) async throws {
        try await carryOut("stop \(service.rawValue)")
    }

    /// Has a service answer nothing, and do nothing.
    package func hang(_ service: Service) async throws {
        try await carryOut("hang \(service.rawValue)")
    }

    /// Has a service go on after ``hang(_:)``.
    package func resume(_ service: Service) async throws {
        try await carryOut("resume \(service.rawValue)")
    }

    /// Kills the bus and all services.
    package func stopBus() async throws { try await carryOut("stop-bus") }

    /// Starts the bus again, without services.
    package func startBus() async throws { try await carryOut("start-bus") }

    private static let end = "mocked_services.py has ended"

    private func carryOut(_ command: String) async throws {
        let bytes = Array((command + "\n").utf8)
        try bytes.withUnsafeBytes { try commands.writeAll($0) }
        try await finish("done \(command)")
    }

    private func finish(_ expected: String) async throws {
        let line = await events.next { $0 == expected || $0 == Self.end }
        guard line == expected else {
            throw TestServerError(
                program: "mocked_services.py",
                output: events.lines.joined(separator: "\n")
            )
        }
    }
}
