import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(1))) struct ConnectivityConversationTests {
    private typealias Bytes = NetworkMessageBytes

    private static let link = Bytes.link(2, flags: UInt32(IFF_UP | IFF_RUNNING))
    private static let route = Bytes.route(Bytes.interface(2))
    private static let addressRemoval = Bytes.message(21, [0, 0, 0, 0])

    private let kernel: PlayedKernel
    private let monitor: ConnectivityMonitor
    private let answers: AsyncStream<Connectivity>
    private let observation: ConnectivityObservation

    init() async throws {
        let kernel = try PlayedKernel()
        let (answers, continuation) = AsyncStream.makeStream(of: Connectivity.self)
        (self.kernel, self.answers) = (kernel, answers)
        (monitor, observation) = await LoopActor.run {
            let monitor = ConnectivityMonitor { kernel.socket() }
            return (monitor, monitor.observe { continuation.yield($0) })
        }
    }

    @Test func `the kernel is asked for links, then for routes, and its answer is told`() async {
        let links = await kernel.request()
        // NLM_F_REQUEST and NLM_F_DUMP.
        #expect(links.map { [$0.type, $0.flags] } == [18, 0x301])
        #expect(links?.isWhole == true)
        kernel.answer(links, [(16, Self.link)])
        let routes = await kernel.request()
        #expect(routes.map { [$0.type, $0.flags] } == [26, 0x301])
        #expect(routes?.isWhole == true)
        kernel.answer(routes, [(24, Self.route)])
        #expect(await next() == .connected)
        await observation.cancel()
    }

    @Test func `what happens soon after is looked into a little later`() async {
        await read(links: [(16, Self.link)], routes: [(24, Self.route)])
        #expect(await next() == .connected)
        kernel.send(Self.addressRemoval)
        await read(links: [(16, Self.link)], routes: [])
        #expect(await next() == .disconnected)
        await observation.cancel()
    }

    @Test(arguments: [[1, 2, 3], Bytes.message(24, [2]), addressRemoval + [9]])
    func `a kernel that speaks otherwise is not listened to any longer`(datagram: [UInt8]) async {
        await read(links: [(16, Self.link)], routes: [])
        #expect(await next() == .disconnected)
        kernel.send(datagram)
        #expect(await next() == .unknown)
        #expect(await !hasHandler())
        await observation.cancel()
    }

    @Test func `a kernel that refuses once is asked again when something happens`() async {
        let request = await kernel.request()
        let refusal = Bytes.number(-EPERM) + [UInt8](repeating: 0, count: 16)
        let sequence = request?.sequence ?? 0
        kernel.send(Bytes.message(2, refusal, sequence: sequence, port: PlayedKernel.port))
        kernel.send(Self.addressRemoval)
        await read(links: [(16, Self.link)], routes: [(24, Self.route)])
        #expect(await next() == .connected)
        await observation.cancel()
    }

    @Test func `an observer that leaves when it is told ends it all`() async {
        let seen = await LoopActor.run { [monitor] in SelfCancellation(of: monitor) }
        await observation.cancel()
        await read(links: [], routes: [])
        #expect(await seen.answer.value == .disconnected)
        #expect(await !hasHandler())
        let connectivity = await LoopActor.run { [monitor] in monitor.connectivity }
        #expect(connectivity == .unknown)
    }

    private func read(
        links: [(type: UInt16, body: [UInt8])],
        routes: [(type: UInt16, body: [UInt8])]
    ) async {
        kernel.answer(await kernel.request(), links)
        kernel.answer(await kernel.request(), routes)
    }

    /// Whether the monitor has a socket, now that the turn of the loop in which it told is over.
    private func hasHandler() async -> Bool {
        await LoopActor.run { [kernel] in kernel.send(Self.addressRemoval) }
    }

    private func next() async -> Connectivity? {
        var iterator = answers.makeAsyncIterator()
        return await iterator.next()
    }
}
