import FerryTransfer
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConnectionBudgetTests {
    @Test func `a host has its limit`() {
        var budget = ConnectionBudget(limit: 10, limitPerHost: 2)
        #expect(budget.take(forHost: "a") == .admitted)
        #expect(budget.take(forHost: "a") == .admitted)
        #expect(budget.take(forHost: "a") == .hostLimit)
        #expect(budget.take(forHost: "b") == .admitted)
        #expect(budget.count == 3)
        #expect(budget.count(forHost: "a") == 2)
        #expect(budget.room(forHost: "a") == 0)
        #expect(budget.room(forHost: "b") == 1)
        budget.giveBack(forHost: "a")
        #expect(budget.admission(forHost: "a") == .admitted)
        #expect(budget.count == 2)
    }

    @Test func `all hosts together have theirs`() {
        var budget = ConnectionBudget(limit: 2, limitPerHost: 2)
        #expect(budget.take(forHost: "a") == .admitted)
        #expect(budget.take(forHost: "b") == .admitted)
        #expect(budget.take(forHost: "c") == .connectionLimit)
        #expect(budget.room(forHost: "a") == 0)
        budget.giveBack(forHost: "a")
        #expect(budget.take(forHost: "c") == .admitted)
    }

    @Test func `a request may have a limit of its own`() {
        var budget = ConnectionBudget(limit: 10, limitPerHost: 6)
        #expect(budget.take(forHost: "a", limitPerHost: 1) == .admitted)
        #expect(budget.take(forHost: "a", limitPerHost: 1) == .hostLimit)
        #expect(budget.room(forHost: "a", limitPerHost: 3) == 2)
        #expect(budget.take(forHost: "a") == .admitted)
    }

    @Test func `what was not taken cannot be given back`() {
        var budget = ConnectionBudget(limit: 1, limitPerHost: 1)
        budget.giveBack(forHost: "a")
        #expect(budget.count == 0)
        #expect(budget == ConnectionBudget(limit: 1, limitPerHost: 1))
    }

    @Test(arguments: [0, -1, .min])
    func `a limit below one still lets one through`(limit: Int) {
        var budget = ConnectionBudget(limit: limit, limitPerHost: limit)
        #expect(budget.take(forHost: "a", limitPerHost: limit) == .admitted)
        #expect(budget.take(forHost: "a", limitPerHost: limit) == .connectionLimit)
    }

    @Test func `a host without connections is forgotten`() {
        var budget = ConnectionBudget(limit: 5, limitPerHost: 5)
        for host in 0..<1000 {
            #expect(budget.take(forHost: "\(host)") == .admitted)
            budget.giveBack(forHost: "\(host)")
        }
        #expect(budget == ConnectionBudget(limit: 5, limitPerHost: 5))
    }
}
