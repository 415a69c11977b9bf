import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(5))) struct WebSocketStateMachineTests {
    private typealias Machine = WebSocketConnection.StateMachine

    private static let request = WebSocketRequest(url: "ws://host/")
    private static let head = HTTPResponseHead(status: 101, fields: [], url: "ws://host/")
    private let start = ContinuousClock.now
    private var machine: Machine

    init() {
        var configuration = WebSocketConnection.Configuration()
        configuration.idleTimeout = .seconds(100)
        configuration.maximumInboxByteCount = 200
        machine = Machine(Self.request, configuration, now: start)
    }

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private mutating func open() {
        _ = machine.start(at: start)
        _ = machine.connected(at: start)
        _ = machine.answered(.accepted(Self.head, protocol: nil), at: start)
    }

    @Test mutating func `a connection is made, upgraded and opened`() {
        #expect(
            machine.start(at: start) == [
                .connect(Self.request), .armTimer(after: .seconds(60)),
            ]
        )
        #expect(!machine.wantsBytes)
        #expect(
            machine.connected(at: start) == [
                .upgrade(Self.request), .cancelTimer, .armTimer(after: .seconds(60)), .proceed,
            ]
        )
        #expect(machine.wantsBytes)
        #expect(
            machine.answered(.accepted(Self.head, protocol: "a"), at: start) == [
                .opened(Self.head, protocol: "a"), .cancelTimer, .armTimer(after: .seconds(100)),
                .proceed,
            ]
        )
        #expect(machine.wantsBytes)
    }

    @Test mutating func `what is sent before the opening waits for it, in order`() {
        #expect(machine.send(.message(.text("1")), number: 1) == [.proceed])
        _ = machine.start(at: start)
        #expect(machine.send(.ping([]), number: 2) == [.proceed])
        #expect(machine.nextFrame() == nil)
        _ = machine.connected(at: start)
        #expect(machine.nextFrame() == nil)
        _ = machine.answered(.accepted(Self.head, protocol: nil), at: start)
        #expect(machine.nextFrame()?.number == 1)
        #expect(machine.nextFrame()?.number == 2)
        #expect(machine.nextFrame() == nil)
    }

    @Test mutating func `a message is done when it has left, a ping when its pong has come`() {
        open()
        _ = machine.send(.message(.text("1")), number: 1)
        _ = machine.send(.ping([]), number: 2)
        _ = machine.send(.ping([]), number: 3)
        _ = machine.send(.ping([]), number: 4)
        #expect(machine.sent(1) == [.complete(1, nil)])
        #expect(machine.sent(2) == [])
        #expect(machine.sent(3) == [])
        func pong(_ number: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, number] }
        // One that nobody asked for, or not yet.
        #expect(machine.received(.pong([]), at: start) == [])
        #expect(machine.received(.pong(pong(4)), at: start) == [])
        #expect(
            machine.received(.pong(pong(3)), at: start) == [.complete(2, nil), .complete(3, nil)]
        )
        #expect(machine.received(.pong(pong(3)), at: start) == [])
    }

    @Test(arguments: [WebSocketFrame.message(.text("1")), .ping([])])
    mutating func `what is withdrawn before its turn is not sent, and nothing waits for it`(
        frame: WebSocketFrame
    ) {
        open()
        _ = machine.send(frame, number: 1)
        _ = machine.send(.message(.text("2")), number: 2)
        _ = machine.send(.ping([]), number: 3)
        machine.withdraw(1)
        #expect(machine.nextFrame()?.number == 2)
        // Too late.
        machine.withdraw(2)
        #expect(machine.sent(2) == [.complete(2, nil)])
        #expect(machine.nextFrame()?.number == 3)
        #expect(machine.sent(3) == [])
        let pong = WebSocketFramer.Event.pong([0, 0, 0, 0, 0, 0, 0, 3])
        #expect(machine.received(pong, at: start) == [.complete(3, nil)])
    }

    @Test mutating func `messages wait for receivers, and receivers for messages`() {
        open()
        #expect(machine.receive() == [])
        #expect(machine.received(.message(.text("1")), at: start) == [.deliver(.text("1"))])
        #expect(machine.received(.message(.text("2")), at: start) == [])
        #expect(machine.received(.message(.text("3")), at: start) == [])
        #expect(machine.receive() == [.deliver(.text("2")), .proceed])
        #expect(machine.receive() == [.deliver(.text("3")), .proceed])
        #expect(machine.receive() == [])
    }

    @Test mutating func `nothing is read while enough waits that nobody asks for`() {
        open()
        for _ in 0..<4 {
            #expect(machine.wantsBytes)
            _ = machine.received(.message(.binary([])), at: start)
        }
        #expect(!machine.wantsBytes)
        _ = machine.receive()
        #expect(machine.wantsBytes)
    }

    @Test mutating func `the server's goodbye is answered before the end`() {
        open()
        _ = machine.receive()
        _ = machine.send(.message(.text("unsent")), number: 1)
        #expect(
            machine.received(.close(code: 1000, reason: [1]), at: start) == [
                .cancelTimer, .armTimer(after: .seconds(10)), .proceed,
            ]
        )
        #expect(!machine.wantsBytes)
        #expect(machine.nextFrame() == nil)
        #expect(machine.send(.ping([]), number: 2) == [.complete(2, .notConnected)])
        #expect(
            machine.drained() == [
                .disconnect, .cancelTimer, .complete(1, .notConnected),
                .failReceivers(.notConnected), .report(.closed(code: 1000, reason: [1])),
            ]
        )
        #expect(machine.drained() == [])
    }

    @Test mutating func `our goodbye goes after the messages before it, and nothing after it`() {
        open()
        _ = machine.send(.message(.text("1")), number: 1)
        #expect(
            machine.close(code: 1001, reason: [], at: start) == [
                .cancelTimer, .armTimer(after: .seconds(10)), .proceed,
            ]
        )
        #expect(machine.close(code: 1000, reason: [], at: start) == [])
        #expect(machine.send(.message(.text("2")), number: 2) == [.complete(2, .notConnected)])
        #expect(machine.nextFrame()?.number == 1)
        #expect(machine.nextFrame()?.frame == .close(code: 1001, reason: []))
        #expect(machine.nextFrame() == nil)
        #expect(machine.sent(1) == [.complete(1, nil)])
        // What comes meanwhile is not wanted, but has to be read.
        #expect(machine.received(.message(.text("late")), at: start) == [])
        #expect(machine.wantsBytes)
        _ = machine.received(.close(code: 1001, reason: []), at: start)
        #expect(
            machine.drained() == [
                .disconnect, .cancelTimer, .report(.closed(code: 1001, reason: [])),
            ]
        )
    }

    @Test mutating func `messages that came before the end can be had after it`() {
        open()
        _ = machine.received(.message(.text("1")), at: start)
        _ = machine.received(.close(code: nil, reason: []), at: start)
        _ = machine.drained()
        #expect(machine.receive() == [.deliver(.text("1")), .proceed])
        #expect(machine.receive() == [.failReceivers(.notConnected)])
        #expect(machine.send(.ping([]), number: 9) == [.complete(9, .notConnected)])
    }

    @Test mutating func `API-8: the end is reported behind the messages that came before`() {
        open()
        _ = machine.receive()
        for text in ["1", "2", "3"] { _ = machine.received(.message(.text(text)), at: start) }
        _ = machine.received(.close(code: 1000, reason: []), at: start)
        #expect(
            machine.drained() == [
                .disconnect, .cancelTimer,
                .armTimer(after: WebSocketConnection.Configuration().closingTimeout),
            ]
        )
        #expect(machine.receive() == [.deliver(.text("2")), .proceed])
        #expect(
            machine.receive() == [
                .deliver(.text("3")), .proceed, .cancelTimer,
                .report(.closed(code: 1000, reason: [])),
            ]
        )
        #expect(machine.receive() == [.failReceivers(.notConnected)])
    }

    @Test mutating func `API-8: the end waits no longer than messages are taken`() {
        open()
        _ = machine.receive()
        for text in ["1", "2", "3"] { _ = machine.received(.message(.text(text)), at: start) }
        _ = machine.received(.close(code: 1000, reason: []), at: start)
        _ = machine.drained()
        _ = machine.receive()
        let arming = Machine.Effect.armTimer(
            after: WebSocketConnection.Configuration().closingTimeout
        )
        #expect(machine.timerFired(at: start) == [arming])
        #expect(machine.timerFired(at: start) == [.report(.closed(code: 1000, reason: []))])
        #expect(machine.receive() == [.deliver(.text("3")), .proceed])
    }

    @Test mutating func `API-8: who says goodbye or cancels does not wait for messages`() {
        for isCancelled in [false, true] {
            self = Self()
            open()
            _ = machine.receive()
            for text in ["1", "2"] { _ = machine.received(.message(.text(text)), at: start) }
            _ = machine.lost(nil, at: start)
            if isCancelled {
                #expect(machine.cancel() == [.disconnect, .cancelTimer])
                #expect(machine.receive() == [.failReceivers(.cancelled)])
            } else {
                guard case .report(.failed)? = machine.close(code: 1000, reason: [], at: start).last
                else {
                    Issue.record("nothing reported")
                    continue
                }
            }
        }
        self = Self()
        open()
        _ = machine.receive()
        for text in ["1", "2"] { _ = machine.received(.message(.text(text)), at: start) }
        _ = machine.close(code: 1000, reason: [], at: start)
        _ = machine.nextFrame()
        _ = machine.received(.close(code: 1000, reason: []), at: start)
        #expect(machine.drained().last == .report(.closed(code: 1000, reason: [])))
    }

    @Test mutating func `a cancel drops everything and reports nothing`() {
        open()
        _ = machine.send(.message(.text("1")), number: 1)
        _ = machine.received(.message(.text("1")), at: start)
        #expect(
            machine.cancel() == [
                .takeLeave, .disconnect, .cancelTimer, .complete(1, .cancelled),
            ]
        )
        #expect(machine.cancel() == [])
        #expect(machine.receive() == [.failReceivers(.cancelled)])
        #expect(machine.lost(nil, at: start) == [])
        #expect(machine.timerFired(at: at(1000)) == [])
    }

    @Test mutating func `a goodbye before the opening is a cancel that is reported`() {
        _ = machine.start(at: start)
        _ = machine.send(.message(.text("1")), number: 1)
        #expect(
            machine.close(code: 1000, reason: [], at: start) == [
                .disconnect, .cancelTimer, .complete(1, .cancelled),
                .report(.failed(.cancelled)),
            ]
        )
    }

    @Test mutating func `a lost connection fails all that waits`() {
        open()
        _ = machine.receive()
        _ = machine.send(.ping([]), number: 1)
        _ = machine.sent(1)
        let cause = HTTPError(code: .connectionLost, message: "gone")
        let error = WebSocketError(cause)
        #expect(
            machine.lost(cause, at: start) == [
                .disconnect, .cancelTimer, .complete(1, error), .failReceivers(error),
                .report(.failed(error)),
            ]
        )
        #expect(machine.send(.ping([]), number: 2) == [.complete(2, error)])
    }

    @Test mutating func `a refusal is the owner's to judge`() {
        _ = machine.start(at: start)
        _ = machine.connected(at: start)
        let head = HTTPResponseHead(status: 302, fields: [], url: "ws://host/")
        let next = WebSocketRequest(url: "ws://other/")
        #expect(
            machine.answered(.refused(head), at: start) == [
                .disconnect, .cancelTimer, .askAbout(.answer(head)),
            ]
        )
        #expect(!machine.wantsBytes)
        #expect(machine.timerFired(at: at(1000)) == [], "the owner has all the time")
        #expect(
            machine.goOn(with: next, at: start) == [
                .connect(next), .armTimer(after: .seconds(60)),
            ]
        )
        #expect(!machine.wantsBytes)
        #expect(machine.connected(at: start).first == .upgrade(next))
        _ = machine.answered(.refused(head), at: start)
        let effects = machine.goOn(with: nil, at: start)
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
        _ = machine.start(at: start)
        let question = HTTPError(code: code, message: "who?")
        #expect(
            machine.lost(question, at: start) == [
                .disconnect, .cancelTimer, .askAbout(.undecided(question)),
            ]
        )
        #expect(machine.lost(nil, at: start) == [])
        let next = WebSocketRequest(url: "ws://host/")
        #expect(machine.goOn(with: next, at: start).first == .connect(next))
    }

    @Test mutating func `a proxy's refusal is the owner's to judge, too`() {
        _ = machine.start(at: start)
        let head = HTTPResponseHead(status: 407, fields: [], url: "ws://host/")
        #expect(
            machine.refused(head, at: start) == [
                .disconnect, .cancelTimer, .askAbout(.answer(head)),
            ]
        )
        guard case .report(.failed(let error))? = machine.goOn(with: nil, at: start).last else {
            Issue.record("it has not ended")
            return
        }
        #expect(error.cause?.code == .cannotConnectToHost)
    }

    @Test mutating func `a connection that is cancelled while its owner decides is over`() {
        _ = machine.start(at: start)
        let head = HTTPResponseHead(status: 407, fields: [], url: "ws://host/")
        _ = machine.refused(head, at: start)
        #expect(machine.cancel() == [.disconnect])
        #expect(machine.goOn(with: WebSocketRequest(url: "ws://host/"), at: start) == [])
    }

    @Test mutating func `a suspended connection neither sends nor reads, and has all the time`() {
        open()
        _ = machine.send(.message(.text("1")), number: 1)
        #expect(machine.suspend() == [.proceed])
        #expect(!machine.wantsBytes)
        #expect(machine.nextFrame() == nil)
        #expect(machine.timerFired(at: at(100)) == [.armTimer(after: .seconds(100))])
        #expect(
            machine.start(at: at(200)) == [
                .cancelTimer, .armTimer(after: .seconds(100)), .proceed,
            ]
        )
        #expect(machine.wantsBytes)
        #expect(machine.nextFrame()?.number == 1)
    }

    @Test mutating func `time runs out only when nothing has moved`() {
        open()
        machine.broughtBytes(at: at(60))
        #expect(machine.timerFired(at: at(100)) == [.armTimer(after: .seconds(60))])
        let effects = machine.timerFired(at: at(160))
        guard case .report(.failed(let error))? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.cause?.code == .timedOut)
        #expect(effects.first == .disconnect)
    }

    @Test mutating func `who goes on talking does not put off the end`() {
        open()
        _ = machine.close(code: nil, reason: [], at: start)
        machine.broughtBytes(at: at(9))
        guard case .report(.failed)? = machine.timerFired(at: at(10)).last else {
            Issue.record("not ended")
            return
        }
    }

    @Test mutating func `a goodbye that cannot be answered in time is one all the same`() {
        open()
        _ = machine.received(.close(code: 1000, reason: []), at: start)
        #expect(
            machine.timerFired(at: at(10)) == [
                .disconnect, .report(.closed(code: 1000, reason: [])),
            ]
        )
    }
}
