import Foundation
import Testing

@testable import Ferry

@Suite("The order of a task's messages", .timeLimit(.minutes(5)))
struct DeliveriesTests {
    private func progressed(_ byteCount: Int64) -> URLSessionTask.Delivery {
        URLSessionTask.Delivery(
            message: .progressed(byteCount: byteCount, expectedByteCount: 100)
        )
    }

    private func resumed(_ offset: Int64) -> URLSessionTask.Delivery {
        URLSessionTask.Delivery(message: .resumed(offset: offset, expectedByteCount: 100))
    }

    private let completed = URLSessionTask.Delivery(message: .completed(error: nil))

    /// The messages still to come, as text, with the new bytes of each.
    private func drain(_ deliveries: inout URLSessionTask.Deliveries) -> [String] {
        var lines: [String] = []
        while let (delivery, newByteCount) = deliveries.next() {
            switch delivery.message {
            case .resumed(let offset, _): lines.append("resumed \(offset)")
            case .progressed(let byteCount, _): lines.append("\(byteCount) +\(newByteCount)")
            case .finished: lines.append("finished")
            case .sent(let byteCount, _): lines.append("sent \(byteCount) +\(newByteCount)")
            case .sentAnew(let offset): lines.append("sent anew from \(offset)")
            case .data(let data): lines.append("data \(data.count)")
            case .call: lines.append("call")
            case .socket: lines.append("socket")
            case .completed: lines.append("completed")
            }
        }
        return lines
    }

    @Test func `parts of a body become one while the app is busy`() {
        var deliveries = URLSessionTask.Deliveries()
        _ = deliveries.append(.init(message: .data(Data([1, 2]))))
        _ = deliveries.append(.init(message: .data(Data([3]))))
        _ = deliveries.append(.init(message: .call { _ in }))
        _ = deliveries.append(.init(message: .data(Data([4]))))
        #expect(drain(&deliveries) == ["data 3", "call", "data 1"])
    }

    @Test func `a body that is sent again is counted from its start`() {
        var deliveries = URLSessionTask.Deliveries()
        for byteCount: Int64 in [5, 9] {
            _ = deliveries.append(
                .init(message: .sent(byteCount: byteCount, expectedByteCount: 9))
            )
        }
        _ = deliveries.append(.init(message: .sentAnew(from: 0)))
        for byteCount: Int64 in [5, 9] {
            _ = deliveries.append(
                .init(message: .sent(byteCount: byteCount, expectedByteCount: 9))
            )
        }
        #expect(drain(&deliveries) == ["sent 9 +9", "sent anew from 0", "sent 9 +9"])
    }

    @Test func `an upload that is continued tells only what is new`() {
        var deliveries = URLSessionTask.Deliveries()
        _ = deliveries.append(.init(message: .sent(byteCount: 9, expectedByteCount: 20)))
        _ = deliveries.append(.init(message: .sentAnew(from: 7)))
        _ = deliveries.append(.init(message: .sent(byteCount: 12, expectedByteCount: 20)))
        #expect(drain(&deliveries) == ["sent 9 +9", "sent anew from 7", "sent 12 +5"])
    }

    @Test func `one operation at a time is asked for`() {
        var deliveries = URLSessionTask.Deliveries()
        #expect(deliveries.append(progressed(1)) == true)
        #expect(deliveries.append(completed) == false)
        #expect(deliveries.next() != nil)
        #expect(deliveries.didDeliver() == true)
        #expect(deliveries.next() != nil)
        #expect(deliveries.didDeliver() == false)
        #expect(deliveries.append(completed) == true)
    }

    @Test func `progress that was not told yet gives way to newer figures`() {
        var deliveries = URLSessionTask.Deliveries()
        for byteCount in 1...50 as ClosedRange<Int64> {
            _ = deliveries.append(progressed(byteCount))
        }
        #expect(drain(&deliveries) == ["50 +50"])
        _ = deliveries.append(progressed(60))
        _ = deliveries.append(progressed(70))
        #expect(drain(&deliveries) == ["70 +20"])
    }

    @Test func `OR-9: the last progress is told before the end`() {
        var deliveries = URLSessionTask.Deliveries()
        _ = deliveries.append(progressed(40))
        _ = deliveries.append(progressed(100))
        _ = deliveries.append(
            URLSessionTask.Delivery(message: .finished(FinishedFile(path: "/a")))
        )
        _ = deliveries.append(completed)
        #expect(drain(&deliveries) == ["100 +100", "finished", "completed"])
    }

    @Test func `RD-7: bytes of an earlier task are not new ones`() {
        var deliveries = URLSessionTask.Deliveries()
        _ = deliveries.append(resumed(30))
        _ = deliveries.append(progressed(45))
        #expect(drain(&deliveries) == ["resumed 30", "45 +15"])
    }

    @Test func `progress does not pass a restart`() {
        var deliveries = URLSessionTask.Deliveries()
        _ = deliveries.append(progressed(80))
        _ = deliveries.append(resumed(0))
        _ = deliveries.append(progressed(5))
        #expect(drain(&deliveries) == ["80 +80", "resumed 0", "5 +5"])
    }
}
