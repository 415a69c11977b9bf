import Testing

@testable import Ferry

@Suite("The line for connections", .timeLimit(.minutes(5)))
struct WaitingLineTests {
    private func drain(_ line: inout WaitingLine, host: String = "a") -> [Int] {
        var tasks: [Int] = []
        while let task = line.takeFirst(ofHost: host) { tasks.append(task) }
        return tasks
    }

    @Test func `equal tasks keep their order`() {
        var line = WaitingLine()
        for task in 1...5 { _ = line.enter(task: task, host: "a", priority: 0.5) }
        #expect(drain(&line) == [1, 2, 3, 4, 5])
        #expect(line.isEmpty)
    }

    @Test func `DL-26: the greatest priority comes first`() {
        var line = WaitingLine()
        _ = line.enter(task: 1, host: "a", priority: 0.5)
        _ = line.enter(task: 2, host: "a", priority: 0.25)
        _ = line.enter(task: 3, host: "a", priority: 1)
        _ = line.enter(task: 4, host: "a", priority: 0.5)
        #expect(drain(&line) == [3, 1, 4, 2])
    }

    @Test func `each host has a line of its own`() {
        var line = WaitingLine()
        _ = line.enter(task: 1, host: "a", priority: 0.5)
        _ = line.enter(task: 2, host: "b", priority: 0.5)
        #expect(line.takeFirst(ofHost: "b") == 2)
        #expect(line.takeFirst(ofHost: "b") == nil)
        #expect(line.hosts == ["a"])
    }

    @Test(arguments: 0..<20)
    func `a place that is given up is not taken`(leaving: Int) {
        var line = WaitingLine()
        let places = (0..<20).map { task in
            line.enter(task: task, host: "a", priority: Float(task % 3) / 2)
        }
        line.leave(places[leaving])
        line.leave(places[leaving])
        let expected = (0..<20).filter { $0 != leaving }
            .sorted { (-($0 % 3), $0) < (-($1 % 3), $1) }
        #expect(drain(&line) == expected)
    }

    @Test func `tasks enter, leave and are taken in any order`() {
        var line = WaitingLine()
        let places = (0..<4).map { line.enter(task: $0, host: "a", priority: 0.5) }
        #expect(line.takeFirst(ofHost: "a") == 0)
        _ = line.enter(task: 4, host: "a", priority: 1)
        #expect(line.takeFirst(ofHost: "a") == 4)
        line.leave(places[1])
        line.leave(places[0])
        _ = line.enter(task: 5, host: "a", priority: 0.5)
        _ = line.enter(task: 6, host: "a", priority: 0.25)
        line.leave(places[3])
        #expect(drain(&line) == [2, 5, 6])
        _ = line.enter(task: 7, host: "a", priority: 0.5)
        #expect(drain(&line) == [7])
    }

    @Test func `a place that was taken cannot be given up`() {
        var line = WaitingLine()
        let place = line.enter(task: 1, host: "a", priority: 0.5)
        _ = line.enter(task: 2, host: "a", priority: 0.5)
        #expect(line.takeFirst(ofHost: "a") == 1)
        line.leave(place)
        #expect(drain(&line) == [2])
    }
}
