import FerryTestSupport
import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(5))) struct WebSocketStateMachineTests {
    private typealias Machine = WebSocketConnection.StateMachine

    private static let request = WebSocketRequest(url: "ws://host/")
    private static let head = HTTPResponseHead(status: 101, fields: [], url: "ws://host/")
    private static let start = ContinuousClock.now
    private var machine: Machine

    init() {
        var configuration = WebSocketConnection.Configuration()
        configuration.idleTimeout = .seconds(100)
        configuration.maximumInboxByteCount = 200
        machine = Machine(Self.request, configuration, now: Self.start)
    }

    private static func at(_ seconds: Int) -> ContinuousClock.Instant {
        start + .seconds(seconds)
    }

    private mutating func open() {
        _ = machine.after { $0.start(at: Self.start) }
        _ = machine.after { $0.connected(at: Self.start) }
        _ = machine.after { $0.answered(.accepted(Self.head, protocol: nil), at: Self.start) }
    }

    @Test mutating func `a connection is made, upgraded and opened`() {
        #expect(
            machine.after { $0.start(at: Self.start) } == [
                .connect(Self.request), .armTimer(after: .seconds(60)),
            ]
        )
        #expect(!machine.wantsBytes)
        #expect(
            machine.after { $0.connected(at: Self.start) } == [
                .upgrade(Self.request), .cancelTimer, .armTimer(after: .seconds(60)), .proceed,
            ]
        )
        #expect(machine.wantsBytes)
        #expect(
            machine.after { $0.answered(.accepted(Self.head, protocol: "a"), at: Self.start) } == [
                .opened(Self.head, protocol: "a"), .cancelTimer, .armTimer(after: .seconds(100)),
                .proceed,
            ]
        )
        #expect(machine.wantsBytes)
    }

    @Test mutating func `what is sent before the opening waits for it, in order`() {
        #expect(machine.after { $0.send(.message(.text("1")), number: 1) } == [.proceed])
        _ = machine.after { $0.start(at: Self.start) }
        #expect(machine.after { $0.send(.ping([]), number: 2) } == [.proceed])
        #expect(machine.nextFrame() == nil)
        _ = machine.after { $0.connected(at: Self.start) }
        #expect(machine.nextFrame() == nil)
        _ = machine.after { $0.answered(.accepted(Self.head, protocol: nil), at: Self.start) }
        #expect(machine.nextFrame()?.number == 1)
        #expect(machine.nextFrame()?.number == 2)
        #expect(machine.nextFrame() == nil)
    }

    @Test mutating func `a message is done when it has left, a ping when its pong has come`() {
        open()
        _ = machine.after { $0.send(.message(.text("1")), number: 1) }
        _ = machine.after { $0.send(.ping([]), number: 2) }
        _ = machine.after { $0.send(.ping([]), number: 3) }
        _ = machine.after { $0.send(.ping([]), number: 4) }
        #expect(machine.after { $0.sent(1) } == [.complete(1, nil)])
        #expect(machine.after { $0.sent(2) } == [])
        #expect(machine.after { $0.sent(3) } == [])
        func pong(_ number: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, number] }
        // One that nobody asked for, or not yet.
        #expect(machine.after { $0.received(.pong([]), at: Self.start) } == [])
        #expect(machine.after { $0.received(.pong(pong(4)), at: Self.start) } == [])
        #expect(
            machine.after { $0.received(.pong(pong(3)), at: Self.start) } == [
                .complete(2, nil), .complete(3, nil),
            ]
        )
        #expect(machine.after { $0.received(.pong(pong(3)), at: Self.start) } == [])
    }

    @Test(arguments: [WebSocketFrame.message(.text("1")), .ping([])])
    mutating func `what is withdrawn before its turn is not sent, and nothing waits for it`(
        frame: WebSocketFrame
    ) {
        open()
        _ = machine.after { $0.send(frame, number: 1) }
        _ = machine.after { $0.send(.message(.text("2")), number: 2) }
        _ = machine.after { $0.send(.ping([]), number: 3) }
        machine.withdraw(1)
        #expect(machine.nextFrame()?.number == 2)
        // Too late.
        machine.withdraw(2)
        #expect(machine.after { $0.sent(2) } == [.complete(2, nil)])
        #expect(machine.nextFrame()?.number == 3)
        #expect(machine.after { $0.sent(3) } == [])
        let pong = WebSocketFramer.Event.pong([0, 0, 0, 0, 0, 0, 0, 3])
        #expect(machine.after { $0.received(pong, at: Self.start) } == [.complete(3, nil)])
    }

    @Test mutating func `messages wait for receivers, and receivers for messages`() {
        open()
        #expect(machine.after { $0.receive() } == [])
        #expect(
            machine.after { $0.received(.message(.text("1")), at: Self.start) } == [
                .deliver(.text("1"))
            ]
        )
        #expect(machine.after { $0.received(.message(.text("2")), at: Self.start) } == [])
        #expect(machine.after { $0.received(.message(.text("3")), at: Self.start) } == [])
        #expect(machine.after { $0.receive() } == [.deliver(.text("2")), .proceed])
        #expect(machine.after { $0.receive() } == [.deliver(.text("3")), .proceed])
        #expect(machine.after { $0.receive() } == [])
    }

    @Test mutating func `nothing is read while enough waits that nobody asks for`() {
        open()
        for _ in 0..<4 {
            #expect(machine.wantsBytes)
            _ = machine.after { $0.received(.message(.binary([])), at: Self.start) }
        }
        #expect(!machine.wantsBytes)
        _ = machine.after { $0.receive() }
        #expect(machine.wantsBytes)
    }

    @Test mutating func `the server's goodbye is answered before the end`() {
        open()
        _ = machine.after { $0.receive() }
        _ = machine.after { $0.send(.message(.text("unsent")), number: 1) }
        #expect(
            machine.after { $0.received(.close(code: 1000, reason: [1]), at: Self.start) } == [
                .cancelTimer, .armTimer(after: .seconds(10)), .proceed,
            ]
        )
        #expect(!machine.wantsBytes)
        #expect(machine.nextFrame() == nil)
        #expect(machine.after { $0.send(.ping([]), number: 2) } == [.complete(2, .notConnected)])
        #expect(
            machine.after { $0.drained() } == [
                .disconnect, .cancelTimer, .complete(1, .notConnected),
                .failReceivers(.notConnected), .report(.closed(code: 1000, reason: [1])),
            ]
        )
        #expect(machine.after { $0.drained() } == [])
    }

    @Test mutating func `our goodbye goes after the messages before it, and nothing after it`() {
        open()
        _ = machine.after { $0.send(.message(.text("1")), number: 1) }
        #expect(
            machine.after { $0.close(code: 1001, reason: [], at: Self.start) } == [
                .cancelTimer, .armTimer(after: .seconds(10)), .proceed,
            ]
        )
        #expect(machine.after { $0.close(code: 1000, reason: [], at: Self.start) } == [])
        #expect(
            machine.after { $0.send(.message(.text("2")), number: 2) } == [
                .complete(2, .notConnected)
            ]
        )
        #expect(machine.nextFrame()?.number == 1)
        #expect(machine.nextFrame()?.frame == .close(code: 1001, reason: []))
        #expect(machine.nextFrame() == nil)
        #expect(machine.after { $0.sent(1) } == [.complete(1, nil)])
        // What comes meanwhile is not wanted, but has to be read.
        #expect(machine.after { $0.received(.message(.text("late")), at: Self.start) } == [])
        #expect(machine.wantsBytes)
        _ = machine.after { $0.received(.close(code: 1001, reason: []), at: Self.start) }
        #expect(
            machine.after { $0.drained() } == [
                .disconnect, .cancelTimer, .report(.closed(code: 1001, reason: [])),
            ]
        )
    }

    @Test mutating func `messages that came before the end can be had after it`() {
        open()
        _ = machine.after { $0.received(.message(.text("1")), at: Self.start) }
        _ = machine.after { $0.received(.close(code: nil, reason: []), at: Self.start) }
        _ = machine.after { $0.drained() }
        #expect(machine.after { $0.receive() } == [.deliver(.text("1")), .proceed])
        #expect(machine.after { $0.receive() } == [.failReceivers(.notConnected)])
        #expect(machine.after { $0.send(.ping([]), number: 9) } == [.complete(9, .notConnected)])
    }

    @Test mutating func `API-8: the end is reported behind the messages that came before`() {
        open()
        _ = machine.after { $0.receive() }
        for text in ["1", "2", "3"] {
            _ = machine.after { $0.received(.message(.text(text)), at: Self.start) }
        }
        _ = machine.after { $0.received(.close(code: 1000, reason: []), at: Self.start) }
        #expect(
            machine.after { $0.drained() } == [
                .disconnect, .cancelTimer,
                .armTimer(after: WebSocketConnection.Configuration().closingTimeout),
            ]
        )
        #expect(machine.after { $0.receive() } == [.deliver(.text("2")), .proceed])
        #expect(
            machine.after { $0.receive() } == [
                .deliver(.text("3")), .proceed, .cancelTimer,
                .report(.closed(code: 1000, reason: [])),
            ]
        )
        #expect(machine.after { $0.receive() } == [.failReceivers(.notConnected)])
    }

    @Test mutating func `API-8: the end waits no longer than messages are taken`() {
        open()
        _ = machine.after { $0.receive() }
        for text in ["1", "2", "3"] {
            _ = machine.after { $0.received(.message(.text(text)), at: Self.start) }
        }
        _ = machine.after { $0.received(.close(code: 1000, reason: []), at: Self.start) }
        _ = machine.after { $0.drained() }
        _ = machine.after { $0.receive() }
        let arming = Machine.Effect.armTimer(
            after: WebSocketConnection.Configuration().closingTimeout
        )
        #expect(machine.after { $0.timerFired(at: Self.start) } == [arming])
        #expect(
            machine.after { $0.timerFired(at: Self.start) } == [
                .report(.closed(code: 1000, reason: []))
            ]
        )
        #expect(machine.after { $0.receive() } == [.deliver(.text("3")), .proceed])
    }

    @Test mutating func `API-8: who says goodbye or cancels does not wait for messages`() {
        for isCancelled in [false, true] {
            self = Self()
            open()
            _ = machine.after { $0.receive() }
            for text in ["1", "2"] {
                _ = machine.after { $0.received(.message(.text(text)), at: Self.start) }
            }
            _ = machine.after { $0.lost(nil, at: Self.start) }
            if isCancelled {
                #expect(machine.after { $0.cancel() } == [.disconnect, .cancelTimer])
                #expect(machine.after { $0.receive() } == [.failReceivers(.cancelled)])
            } else {
                let effects = machine.after { $0.close(code: 1000, reason: [], at: Self.start) }
                guard case .report(.failed)? = effects.last else {
                    Issue.record("nothing reported")
                    continue
                }
            }
        }
        self = Self()
        open()
        _ = machine.after { $0.receive() }
        for text in ["1", "2"] {
            _ = machine.after { $0.received(.message(.text(text)), at: Self.start) }
        }
        _ = machine.after { $0.close(code: 1000, reason: [], at: Self.start) }
        _ = machine.nextFrame()
        _ = machine.after { $0.received(.close(code: 1000, reason: []), at: Self.start) }
        #expect(machine.after { $0.drained() }.last == .report(.closed(code: 1000, reason: [])))
    }

    @Test mutating func `a cancel drops everything and reports nothing`() {
        open()
        _ = machine.after { $0.send(.message(.text("1")), number: 1) }
        _ = machine.after { $0.received(.message(.text("1")), at: Self.start) }
        #expect(
            machine.after { $0.cancel() } == [
                .takeLeave, .disconnect, .cancelTimer, .complete(1, .cancelled),
            ]
        )
        #expect(machine.after { $0.cancel() } == [])
        #expect(machine.after { $0.receive() } == [.failReceivers(.cancelled)])
        #expect(machine.after { $0.lost(nil, at: Self.start) } == [])
        #expect(machine.after { $0.timerFired(at: Self.at(1000)) } == [])
    }

    @Test mutating func `a goodbye before the opening is a cancel that is reported`() {
        _ = machine.after { $0.start(at: Self.start) }
        _ = machine.after { $0.send(.message(.text("1")), number: 1) }
        #expect(
            machine.after { $0.close(code: 1000, reason: [], at: Self.start) } == [
                .disconnect, .cancelTimer, .complete(1, .cancelled),
                .report(.failed(.cancelled)),
            ]
        )
    }

    @Test mutating func `a lost connection fails all that waits`() {
        open()
        _ = machine.after { $0.receive() }
        _ = machine.after { $0.send(.ping([]), number: 1) }
        _ = machine.after { $0.sent(1) }
        let cause = HTTPError(code: .connectionLost, message: "gone")
        let error = WebSocketError(cause)
        #expect(
            machine.after { $0.lost(cause, at: Self.start) } == [
                .disconnect, .cancelTimer, .complete(1, error), .failReceivers(error),
                .report(.failed(error)),
            ]
        )
        #expect(machine.after { $0.send(.ping([]), number: 2) } == [.complete(2, error)])
    }

    @Test mutating func `a refusal is the owner's to judge`() {
        _ = machine.after { $0.start(at: Self.start) }
        _ = machine.after { $0.connected(at: Self.start) }
        let head = HTTPResponseHead(status: 302, fields: [], url: "ws://host/")
        let next = WebSocketRequest(url: "ws://other/")
        #expect(
            machine.after { $0.answered(.refused(head), at: Self.start) } == [
                .disconnect, .cancelTimer, .askAbout(.answer(head)),
            ]
        )
        #expect(!machine.wantsBytes)
        #expect(
            machine.after { $0.timerFired(at: Self.at(1000)) } == [],
            "the owner has all the time"
        )
        #expect(
            machine.after { $0.proceed(with: next, at: Self.start) } == [
                .connect(next), .armTimer(after: .seconds(60)),
            ]
        )
        #expect(!machine.wantsBytes)
        #expect(machine.after { $0.connected(at: Self.start) }.first == .upgrade(next))
        _ = machine.after { $0.answered(.refused(head), at: Self.start) }
        let effects = machine.after { $0.proceed(with: nil, at: Self.start) }
        guard case .report(.failed(let error))? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.code == .refused)
    }

    @Test(arguments: [HTTPError.Code.serverTrustUndecided, .clientCertificateUndecided])
    mutating func `what a handshake wants to know is the owner's to say`(
        code: HTTPError.Code
    ) {
        _ = machine.after { $0.start(at: Self.start) }
        let question = HTTPError(code: code, message: "who?")
        #expect(
            machine.after { $0.lost(question, at: Self.start) } == [
                .disconnect, .cancelTimer, .askAbout(.undecided(question)),
            ]
        )
        #expect(machine.after { $0.lost(nil, at: Self.start) } == [])
        let next = WebSocketRequest(url: "ws://host/")
        #expect(machine.after { $0.proceed(with: next, at: Self.start) }.first == .connect(next))
    }

    @Test mutating func `a proxy's refusal is the owner's to judge, too`() {
        _ = machine.after { $0.start(at: Self.start) }
        let head = HTTPResponseHead(status: 407, fields: [], url: "ws://host/")
        #expect(
            machine.after { $0.refused(head, at: Self.start) } == [
                .disconnect, .cancelTimer, .askAbout(.answer(head)),
            ]
        )
        let effects = machine.after { $0.proceed(with: nil, at: Self.start) }
        guard case .report(.failed(let error))? = effects.last else {
            Issue.record("it has not ended")
            return
        }
        #expect(error.cause?.code == .cannotConnectToHost)
    }

    @Test mutating func `a connection that is cancelled while its owner decides is over`() {
        _ = machine.after { $0.start(at: Self.start) }
        let head = HTTPResponseHead(status: 407, fields: [], url: "ws://host/")
        _ = machine.after { $0.refused(head, at: Self.start) }
        #expect(machine.after { $0.cancel() } == [.disconnect])
        #expect(
            machine.after { $0.proceed(with: WebSocketRequest(url: "ws://host/"), at: Self.start) }
                == []
        )
    }

    @Test mutating func `a suspended connection neither sends nor reads, and has all the time`() {
        open()
        _ = machine.after { $0.send(.message(.text("1")), number: 1) }
        #expect(machine.after { $0.suspend() } == [.proceed])
        #expect(!machine.wantsBytes)
        #expect(machine.nextFrame() == nil)
        #expect(
            machine.after { $0.timerFired(at: Self.at(100)) } == [.armTimer(after: .seconds(100))]
        )
        #expect(
            machine.after { $0.start(at: Self.at(200)) } == [
                .cancelTimer, .armTimer(after: .seconds(100)), .proceed,
            ]
        )
        #expect(machine.wantsBytes)
        #expect(machine.nextFrame()?.number == 1)
    }

    @Test mutating func `time runs out only when nothing has moved`() {
        open()
        machine.broughtBytes(at: Self.at(60))
        #expect(
            machine.after { $0.timerFired(at: Self.at(100)) } == [.armTimer(after: .seconds(60))]
        )
        let effects = machine.after { $0.timerFired(at: Self.at(160)) }
        guard case .report(.failed(let error))? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.cause?.code == .timedOut)
        #expect(effects.first == .disconnect)
    }

    @Test mutating func `who goes on talking does not put off the end`() {
        open()
        _ = machine.after { $0.close(code: nil, reason: [], at: Self.start) }
        machine.broughtBytes(at: Self.at(9))
        let effects = machine.after { $0.timerFired(at: Self.at(10)) }
        guard case .report(.failed)? = effects.last else {
            Issue.record("not ended")
            return
        }
    }

    @Test mutating func `a goodbye that cannot be answered in time is one all the same`() {
        open()
        _ = machine.after { $0.received(.close(code: 1000, reason: []), at: Self.start) }
        #expect(
            machine.after { $0.timerFired(at: Self.at(10)) } == [
                .disconnect, .report(.closed(code: 1000, reason: [])),
            ]
        )
    }
}
