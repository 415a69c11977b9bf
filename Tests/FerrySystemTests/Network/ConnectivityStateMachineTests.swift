import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(5))) struct ConnectivityStateMachineTests {
    private typealias Machine = ConnectivityMonitor.StateMachine
    private typealias Content = NetworkMessage.Content

    private static let start = ContinuousClock.now
    private static let usable = NetworkLink(
        index: 2,
        flags: UInt32(IFF_UP | IFF_RUNNING)
    )
    private static let down = NetworkLink(index: 2, flags: UInt32(IFF_UP))
    private static let route = Content.route(NetworkRoute(links: [2]))

    @Test func `links are listed first, then routes, then there is an answer`() {
        var machine = Machine(port: 9)
        #expect(machine.after { $0.start(at: Self.start) } == [.request(.links, sequence: 1)])
        #expect(reply(.link(Self.usable), 1, to: &machine) == [])
        #expect(reply(.end, 1, to: &machine) == [.request(.routes, sequence: 2)])
        #expect(reply(Self.route, 2, to: &machine) == [])
        #expect(reply(.end, 2, to: &machine) == [.publish(.connected)])
    }

    @Test(arguments: [
        ([Content.link(usable)], []),
        ([.link(down)], [route]),
        ([], [route]),
        ([.link(usable)], [.route(NetworkRoute(links: [3, 4]))]),
    ])
    private func `without a route over a usable link there is no connection`(
        links: [Content],
        routes: [Content]
    ) {
        var machine = Machine(port: 9)
        _ = machine.after { $0.start(at: Self.start) }
        #expect(read(links, routes, from: 1, by: &machine) == [.publish(.disconnected)])
    }

    @Test func `a route over a link that the kernel does not name counts`() {
        var machine = Machine(port: 9)
        _ = machine.after { $0.start(at: Self.start) }
        let effects = read([], [.route(NetworkRoute(links: []))], from: 1, by: &machine)
        #expect(effects == [.publish(.connected)])
    }

    @Test(arguments: [
        Content.link(down), .linkRemoval(2), .routeRemoval,
        .addressRemoval, .routeReplacement, .loss,
    ])
    private func `what may end the connection is looked into`(content: Content) {
        var machine = connected()
        #expect(
            notify(content, after: .seconds(1), to: &machine) == [.request(.links, sequence: 3)]
        )
    }

    @Test(arguments: [
        Content.link(usable), .linkRemoval(3), route,
        .link(NetworkLink(index: 3, flags: 0)), .refusal(EPERM), .end,
    ])
    private func `what cannot end the connection is not looked into`(content: Content) {
        var machine = connected()
        #expect(notify(content, after: .seconds(1), to: &machine) == [])
    }

    @Test(arguments: [(Content.routeRemoval, false), (route, true)])
    private func `without a connection only what may make one is looked into`(
        content: Content,
        isLookedInto: Bool
    ) {
        var machine = Machine(port: 9)
        _ = machine.after { $0.start(at: Self.start) }
        _ = read([], [], from: 1, by: &machine)
        #expect(notify(content, after: .seconds(1), to: &machine).isEmpty == !isLookedInto)
    }

    @Test func `the same answer again is not published`() {
        var machine = connected()
        _ = notify(.addressRemoval, after: .seconds(1), to: &machine)
        let now = Self.start + .seconds(1)
        let effects = read([.link(Self.usable)], [Self.route], from: 3, by: &machine, at: now)
        #expect(effects == [])
    }

    @Test func `a change while lists are read makes them be read again, after a rest`() {
        var machine = Machine(port: 9)
        _ = machine.after { $0.start(at: Self.start) }
        #expect(reply(.end, 1, to: &machine) == [.request(.routes, sequence: 2)])
        #expect(notify(Self.route, after: .zero, to: &machine) == [])
        let wake = Self.start + .milliseconds(100)
        #expect(reply(.end, 2, to: &machine) == [.publish(.disconnected), .wake(at: wake)])
        #expect(notify(Self.route, after: .milliseconds(50), to: &machine) == [])
        #expect(machine.after { $0.woke(at: wake) } == [.request(.links, sequence: 3)])
        #expect(machine.after { $0.woke(at: wake) } == [])
    }

    @Test func `a list that was interrupted is read again`() {
        var machine = Machine(port: 9)
        _ = machine.after { $0.start(at: Self.start) }
        var message = NetworkMessage(content: .link(Self.usable), sequence: 1, port: 9)
        message.isInterrupted = true
        _ = machine.after { $0.received(message, at: Self.start) }
        let effects = read([], [Self.route], from: 1, by: &machine)
        #expect(effects.contains(.wake(at: Self.start + .milliseconds(100))))
    }

    @Test func `lost messages make everything be read again`() {
        var machine = connected()
        let now = Self.start + .seconds(1)
        #expect(machine.after { $0.messagesWereLost(at: now) } == [.request(.links, sequence: 3)])
        #expect(machine.after { $0.messagesWereLost(at: now) } == [])
        let effects = read([.link(Self.usable)], [Self.route], from: 3, by: &machine, at: now)
        #expect(effects == [.wake(at: now + .milliseconds(100))])
    }

    @Test func `long lists take a tenth of the time, whatever happens`() {
        var machine = Machine(port: 9)
        _ = machine.after { $0.start(at: Self.start) }
        _ = notify(.addressRemoval, after: .zero, to: &machine)
        let end = Self.start + .seconds(2)
        let effects = read([], [], from: 1, by: &machine, at: end)
        #expect(effects == [.publish(.disconnected), .wake(at: end + .seconds(18))])
    }

    @Test func `a kernel that refuses leaves the answer open`() {
        var machine = connected()
        _ = notify(.addressRemoval, after: .seconds(1), to: &machine)
        #expect(reply(.refusal(EPERM), 3, to: &machine) == [.publish(.unknown)])
        // The rest of the refused list, and one that nobody has asked for.
        #expect(reply(.end, 3, to: &machine) == [])
        #expect(reply(Self.route, 2, to: &machine) == [])
    }

    private func connected() -> Machine {
        var machine = Machine(port: 9)
        _ = machine.after { $0.start(at: Self.start) }
        _ = read([.link(Self.usable)], [Self.route], from: 1, by: &machine)
        return machine
    }

    private func read(
        _ links: [Content],
        _ routes: [Content],
        from sequence: UInt32,
        by machine: inout Machine,
        at now: ContinuousClock.Instant = start
    ) -> [Machine.Effect] {
        for link in links { _ = reply(link, sequence, to: &machine, at: now) }
        _ = reply(.end, sequence, to: &machine, at: now)
        for route in routes { _ = reply(route, sequence + 1, to: &machine, at: now) }
        return reply(.end, sequence + 1, to: &machine, at: now)
    }

    private func reply(
        _ content: Content,
        _ sequence: UInt32,
        to machine: inout Machine,
        at now: ContinuousClock.Instant = start
    ) -> [Machine.Effect] {
        machine.after {
            $0.received(
                NetworkMessage(content: content, sequence: sequence, port: 9),
                at: now
            )
        }
    }

    private func notify(
        _ content: Content,
        after delay: Duration,
        to machine: inout Machine
    ) -> [Machine.Effect] {
        // A notification carries the number of the socket that has made the change, not ours.
        machine.after {
            $0.received(
                NetworkMessage(content: content, sequence: 1, port: 4),
                at: Self.start + delay
            )
        }
    }
}
