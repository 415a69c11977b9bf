import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct RateFlowTests {
    @Test(arguments: 0..<3)
    func `a flow waits for the limit that is used up, whichever that is`(index: Int) {
        let limits = (0..<3).map { RateLimit(bytesPerSecond: $0 == index ? 1 : nil) }
        let flow = RateFlow(
            of: TransferRates(),
            under: limits,
            identifier: RateFlow.Identifier(transfer: 1, number: 1)
        )
        let isUsedUp = flow.passed(1_000_000)
        #expect(isUsedUp)
        let admitted = Recorder<Int>()
        flow.wait { admitted.append(index) }
        // A change of a limit lets those go on who wait for it.
        for (number, limit) in limits.enumerated() where number != index {
            limit.bytesPerSecond = 1 << 40
        }
        #expect(admitted.elements == [])
        limits[index].bytesPerSecond = nil
        #expect(admitted.elements == [index])
        flow.end()
    }

    @Test func `of the flows that only a shared limit holds up, the more important goes on first`()
    {
        let shared = RateLimit(bytesPerSecond: 1)
        let ordinary = TransferRates(receiving: [shared])
        let important = TransferRates(receiving: [shared])
        important.setPriority(1)
        let flows = [ordinary.makeReceivingFlow(), important.makeReceivingFlow()]
        let admitted = Recorder<Int>()
        for (number, flow) in flows.enumerated() {
            _ = flow.passed(1000)
            flow.wait { admitted.append(number) }
        }
        shared.bytesPerSecond = 1000
        #expect(admitted.elements == [1])
        for flow in flows { flow.end() }
    }
}
