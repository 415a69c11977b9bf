import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(5))) struct NetworkMessageTests {
    private typealias Bytes = NetworkMessageBytes

    private static let running = UInt32(IFF_UP | IFF_RUNNING)

    @Test(arguments: [
        (running, true),
        (running | 1 << 16, true),
        (UInt32(IFF_UP), false),
        (UInt32(IFF_RUNNING), false),
        (running | UInt32(IFF_LOOPBACK), false),
        (0, false),
    ])
    func `a link is usable when it is up, has a carrier and is not the loopback`(
        flags: UInt32,
        isUsable: Bool
    ) throws {
        let link = try content(16, Bytes.link(7, flags: flags)).first
        guard case .link(let link) = link else {
            Issue.record("\(String(describing: link)) is no link")
            return
        }
        #expect(link.index == 7)
        #expect(link.isUsable == isUsable)
    }

    @Test func `a link that is gone is known by its number`() throws {
        #expect(try content(17, Bytes.link(7, flags: 0)) == [.linkRemoval(7)])
    }

    @Test(arguments: [16, 17] as [UInt16])
    func `a link that a bridge takes or gives up stays as it is`(type: UInt16) throws {
        let body = Bytes.link(7, flags: Self.running, family: AF_BRIDGE)
        #expect(try content(type, body).isEmpty)
    }

    @Test(arguments: [AF_INET, AF_INET6])
    func `a route is over its interface`(family: Int32) throws {
        let body = Bytes.route(family: family, Bytes.interface(3))
        #expect(try content(24, body) == [.route(NetworkRoute(links: [3]))])
        #expect(try content(25, body) == [.routeRemoval])
    }

    @Test func `a route with several next hops is over each of their interfaces`() throws {
        let body = Bytes.route(Bytes.nextHops([3, 5, 9]))
        #expect(try content(24, body) == [.route(NetworkRoute(links: [3, 5, 9]))])
    }

    @Test func `a route that names no interface is one all the same`() throws {
        let body = Bytes.route(Bytes.attribute(30, Bytes.number(UInt32(12))))
        #expect(try content(24, body) == [.route(NetworkRoute(links: []))])
    }

    @Test func `the flags in an attribute's type are not part of it`() throws {
        let body = Bytes.route(Bytes.attribute(4 | 0x8000, Bytes.number(Int32(3))))
        #expect(try content(24, body) == [.route(NetworkRoute(links: [3]))])
    }

    @Test(
        arguments: [
            Bytes.route(table: 255, Bytes.interface(3)),
            Bytes.route(type: 2, Bytes.interface(3)),
            Bytes.route(type: 5, Bytes.interface(3)),
            Bytes.route(type: 7, Bytes.interface(3)),
            Bytes.route(flags: 0x200, Bytes.interface(3)),
            Bytes.route(family: 28, Bytes.interface(3)),
            Bytes.route(
                family: AF_INET6,
                Bytes.destination([0xfe, 0x80] + [UInt8](repeating: 0, count: 14))
                    + Bytes.interface(3)
            ),
        ]
    )
    func `local, multicast, unreachable, cached, foreign and link-local routes lead nowhere`(
        body: [UInt8]
    ) throws {
        #expect(try content(24, body).isEmpty)
    }

    @Test func `IPv4's 254.128.0.0 is not IPv6's fe80`() throws {
        let body = Bytes.route(Bytes.destination([0xfe, 0x80, 0, 0]) + Bytes.interface(3))
        #expect(try content(24, body) == [.route(NetworkRoute(links: [3]))])
    }

    @Test func `the end of a list, a refusal and a loss are told apart`() throws {
        #expect(try content(3, Bytes.number(Int32(0))) == [.end])
        #expect(try content(3) == [.end])
        #expect(try content(3, Bytes.number(-EPERM)) == [.refusal(EPERM)])
        #expect(try content(2, Bytes.number(-EBUSY)) == [.refusal(EBUSY)])
        #expect(try content(2, Bytes.number(Int32.min)) == [.refusal(.min)])
        #expect(try content(2, Bytes.number(Int32(0))).isEmpty)
        #expect(try content(4) == [.loss])
        #expect(try content(1).isEmpty)
        #expect(try content(21, [1, 2, 3, 4, 5, 6, 7, 8]) == [.addressRemoval])
        #expect(try content(20, [1, 2, 3, 4, 5, 6, 7, 8]).isEmpty)
    }

    @Test func `a datagram's messages come in order, with what their headers say`() throws {
        let datagram =
            Bytes.message(16, Bytes.link(1, flags: 0), flags: 0x12, sequence: 5, port: 77)
            + Bytes.message(99, [1]) + Bytes.message(24, Bytes.route(type: 7), flags: 0x100)
            + Bytes.message(3, sequence: 5, port: 77)
        let messages = try NetworkMessage.decode(datagram)
        let link = NetworkLink(index: 1, flags: 0)
        #expect(
            messages == [
                NetworkMessage(content: .link(link), sequence: 5, port: 77, isInterrupted: true),
                NetworkMessage(content: .routeReplacement, sequence: 0, port: 0),
                NetworkMessage(content: .end, sequence: 5, port: 77),
            ]
        )
        #expect(try NetworkMessage.decode([]).isEmpty)
    }

    @Test func `the last message of a datagram needs no padding`() throws {
        let attribute = Bytes.attribute(4, Bytes.number(Int32(3)) + [0]).dropLast(3)
        let whole = Bytes.message(24, Bytes.route(Array(attribute)))
        let length = Int(whole[0])
        #expect(length < whole.count)
        let messages = try NetworkMessage.decode(Array(whole.prefix(length)))
        #expect(messages.map(\.content) == [.route(NetworkRoute(links: [3]))])
    }

    @Test(arguments: [
        [], Bytes.link(1, flags: 0), Bytes.route(Bytes.nextHops([3, 5])),
        Bytes.route(family: AF_INET6, Bytes.destination([0xfe, 0x80]) + Bytes.interface(3)),
    ])
    func `no cut of a message is read beyond its end`(body: [UInt8]) {
        let whole = Bytes.message(body.count == 16 ? 16 : 24, body)
        for count in 1..<whole.count {
            #expect(throws: MalformedNetworkMessage.self) {
                try NetworkMessage.decode(Array(whole.prefix(count)))
            }
        }
    }

    @Test(arguments: [0, 3, 15, 17, 1 << 31, UInt32.max])
    func `a length that lies is found out`(length: UInt32) {
        var message = Bytes.message(24, [])
        message.replaceSubrange(0..<4, with: Bytes.number(length))
        #expect(throws: MalformedNetworkMessage.self) { try NetworkMessage.decode(message) }
    }

    @Test(arguments: [0, 3, 9, UInt16.max])
    func `an attribute's length that lies is found out`(length: UInt16) {
        var attribute = Bytes.interface(3)
        attribute.replaceSubrange(0..<2, with: Bytes.number(length))
        let message = Bytes.message(24, Bytes.route(attribute))
        #expect(throws: MalformedNetworkMessage.self) { try NetworkMessage.decode(message) }
    }

    @Test(arguments: [0, 3, 17, UInt16.max])
    func `a next hop's length that lies is found out`(length: UInt16) {
        let hop = Bytes.number(length) + [0, 0] + Bytes.number(Int32(3)) + [0, 0, 0, 0]
        let message = Bytes.message(24, Bytes.route(Bytes.attribute(9, hop)))
        #expect(throws: MalformedNetworkMessage.self) { try NetworkMessage.decode(message) }
    }

    @Test func `random bytes are refused or read, and nothing else`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let body = (0..<Int.random(in: 0...80)).map { _ in UInt8.random(in: 0...255) }
            // Types that are read, so that not every message is passed over.
            let type = UInt16([2, 3, 16, 17, 24, 25].randomElement(using: &random) ?? 24)
            var plausible = body
            if body.count > 7 { plausible.replaceSubrange(0...7, with: Bytes.route().prefix(8)) }
            _ = try? NetworkMessage.decode(Bytes.message(type, plausible))
            _ = try? NetworkMessage.decode(body)
        }
    }

    private func content(
        _ type: UInt16,
        _ body: [UInt8] = []
    ) throws -> [NetworkMessage.Content] {
        try NetworkMessage.decode(Bytes.message(type, body)).map(\.content)
    }
}
