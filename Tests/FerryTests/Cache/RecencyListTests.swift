import Testing

@testable import Ferry

@Suite("Values in the order of their use", .timeLimit(.minutes(1)))
struct RecencyListTests {
    /// Removes all, the oldest first.
    private func order(_ list: RecencyList<String, Int>) -> [String] {
        var list = list
        var keys: [String] = []
        while let key = list.removeOldest() { keys.append(key) }
        #expect(list.cost == 0)
        return keys
    }

    private func list(_ keys: [String]) -> RecencyList<String, Int> {
        var list = RecencyList<String, Int>()
        for (number, key) in keys.enumerated() { list.insert(number, for: key, cost: 1) }
        return list
    }

    @Test func `what is used is the newest`() {
        var list = list(["a", "b", "c"])
        #expect(list.use("a") == 0)
        #expect(list.use("none") == nil)
        #expect(list.value(for: "b") == 1)
        #expect(order(list) == ["b", "c", "a"])
        #expect(list.use("b") { $0 = 7 } == 7)
        #expect(list.value(for: "b") == 7)
        #expect(order(list) == ["c", "a", "b"])
    }

    @Test(arguments: ["a", "b", "c"])
    func `what is removed leaves the others in order`(key: String) {
        var list = list(["a", "b", "c"])
        list.remove(key)
        list.remove("none")
        #expect(list.value(for: key) == nil)
        #expect(Set(list.keys) == Set(["a", "b", "c"]).subtracting([key]))
        #expect(order(list) == ["a", "b", "c"].filter { $0 != key })
        list.insert(9, for: "d", cost: 5)
        #expect(list.cost == 7)
        #expect(order(list).last == "d")
    }

    @Test func `what is inserted again replaces what was there, with its cost`() {
        var list = list(["a", "b"])
        list.insert(5, for: "a", cost: 10)
        #expect(list.cost == 11)
        #expect(list.value(for: "a") == 5)
        #expect(order(list) == ["b", "a"])
    }

    @Test func `thousands come and go in order`() {
        var list = RecencyList<Int, Int>()
        for number in 0..<5000 {
            list.insert(number, for: number, cost: 2)
            if number >= 100 { #expect(list.removeOldest() == number - 100) }
        }
        #expect(list.cost == 200)
    }
}
