import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(1))) struct ConnectivityMonitorTests {
    private static let hasIPv6 = access("/proc/net/if_inet6", F_OK) == 0

    private static let pair = "ip link add near type veth peer name far"
    private static let address = "ip address add 192.0.2.1/24 dev near"

    @Test(
        .enabled(if: TestNetwork.canBeMade, "needs ip(8) and network namespaces")
    )
    func `each change of the answer is told, and nothing else`() async throws {
        let answers = try await Self.answers(to: [
            "ip link set lo up",
            Self.pair,
            "ip link set near up",
            Self.address,
            // A route over a link without a carrier leads nowhere.
            "+ip link set far up",
            "ip route add default via 192.0.2.2",
            "ip route add 198.51.100.0/24 via 192.0.2.3",
            "ip route del default",
            "ip route del 198.51.100.0/24",
            "+ip link set far down",
            "+ip link set far up",
            // The routes go with the address, or with the link.
            "+ip address del 192.0.2.1/24 dev near",
            "ip link set near down",
            "ip link set near up",
            "+ip route add default dev near",
            "+ip link set near down",
            "ip link set near up",
            "+ip route add default dev near",
            "+ip link del near",
        ])
        #expect(
            answers == [
                "disconnected", "connected", "disconnected", "connected", "disconnected",
                "connected", "disconnected", "connected", "disconnected",
            ]
        )
    }

    @Test(
        .enabled(if: TestNetwork.canBeMade && hasIPv6, "needs a network namespace with IPv6")
    )
    func `a route of IPv6 counts, the one of every link does not`() async throws {
        let answers = try await Self.answers(to: [
            Self.pair,
            "ip link set near up",
            "ip link set far up",
            "ip -6 route add fe80::/64 dev near metric 5",
            "+ip -6 route add 2001:db8::/32 dev near",
            "+ip -6 route del 2001:db8::/32",
            "ip -6 route add unreachable default",
            "+ip -6 route replace default dev near",
            "+ip -6 route replace unreachable default",
        ])
        #expect(
            answers == ["disconnected", "connected", "disconnected", "connected", "disconnected"]
        )
    }

    @Test(
        .enabled(if: TestNetwork.canBeMade, "needs ip(8) and network namespaces")
    )
    func `a change for which there was no room in the socket is seen`() async throws {
        // More messages than fit, the last of which would be the one that matters.
        let routes = """
            for i in $(seq 0 19); do for j in $(seq 0 249); do \
            echo route add 10.$i.$j.0/24 dev near; done; done | ip -batch -
            """
        let answers = try await Self.answers(to: [
            Self.pair,
            "ip link set near up",
            "ip link set far up",
            "+" + Self.address,
            "=\(routes); ip link del near",
        ])
        #expect(answers == ["disconnected", "connected", "disconnected"])
    }

    @Test func `where netlink is forbidden the answer is unknown, which holds nothing up`() async {
        await LoopActor.run {
            let monitor = ConnectivityMonitor { () throws(SystemCallError) in
                throw SystemCallError(call: "socket", errno: EAFNOSUPPORT)
            }
            let observation = monitor.observe { Issue.record("told of \($0)") }
            #expect(monitor.connectivity == .unknown)
            #expect(monitor.connectivity.allowsAttempts)
            observation.cancel()
        }
    }

    @Test func `the socket is opened for the first observer and closed after the last`() async {
        await LoopActor.run {
            let sockets = Recorder<WeakSocket>()
            let monitor = ConnectivityMonitor { () throws(SystemCallError) in
                let socket = try RouteSocket()
                sockets.append(WeakSocket(socket))
                return socket
            }
            #expect(sockets.elements.isEmpty)
            for round in 1...2 {
                let observations = (0..<3).map { _ in monitor.observe { _ in } }
                #expect(sockets.elements.count == round)
                #expect(monitor.connectivity != .unknown)
                observations[0].cancel()
                observations[0].cancel()
                observations[1].cancel()
                #expect(sockets.elements.last?.isOpen == true)
                observations[2].cancel()
                #expect(sockets.elements.last?.isOpen == false)
                #expect(monitor.connectivity == .unknown)
            }
        }
    }

    @Test(arguments: [(Connectivity.unknown, true), (.disconnected, false), (.connected, true)])
    func `only what is known to be in vain is not tried`(answer: Connectivity, isTried: Bool) {
        #expect(answer.allowsAttempts == isTried)
    }

    /// What the probe prints when it runs commands in a network of its own.
    private static func answers(to commands: [String]) async throws -> [String] {
        let (exit, output, error) = try await TestProcess.run(
            "/usr/bin/unshare",
            ["--net", "--map-root-user", TestHome.executable("connectivity-probe")] + commands,
            environment: ProcessEnvironment.current
        )
        #expect(exit == .exited(status: 0), "\(error)")
        return output.split(separator: "\n").map(String.init)
    }
}

/// An observer that wants to be told once.
@LoopActor
final class SelfCancellation {
    /// What it was told.
    let answer = AsyncValue<Connectivity>()
    private var observation: ConnectivityObservation?

    init(of monitor: ConnectivityMonitor) {
        observation = monitor.observe { [answer] connectivity in
            answer.set(connectivity)
            self.observation?.cancel()
            self.observation = nil
        }
    }
}

/// A socket that somebody else keeps.
final class WeakSocket: Sendable {
    private weak let socket: RouteSocket?

    /// Whether anybody does.
    var isOpen: Bool { socket != nil }

    init(_ socket: RouteSocket) { self.socket = socket }
}
