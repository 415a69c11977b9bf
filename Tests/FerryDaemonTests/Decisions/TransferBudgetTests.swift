import FerryStore
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct TransferBudgetTests {
    @Test func `an empty budget admits everybody`() {
        let budget = TransferBudget(policy: .limits(total: 2, host: 1))
        #expect(budget.free == 2)
        #expect(budget.free(host: "a") == 1)
        #expect(budget.admits(session: 1, host: "a", sessionLimit: 1))
        #expect(budget.activeHosts.isEmpty && budget.saturatedHosts.isEmpty)
    }

    @Test func `what is taken is not free, and free again when it is given back`() {
        var budget = TransferBudget(policy: .limits(total: 3, host: 2))
        budget.take(session: 1, of: 1, host: "a")
        budget.take(session: 2, of: 2, host: "a")
        #expect(budget.free == 1)
        #expect(budget.free(host: "a") == 0)
        #expect(budget.free(host: "b") == 1)
        #expect(budget.saturatedHosts == ["a"])
        #expect(!budget.admits(session: 3, host: "a", sessionLimit: 9))
        budget.give(session: 1, host: "a")
        #expect(budget.free(host: "a") == 1)
        #expect(budget.count(session: 1, host: "a") == 0)
        #expect(budget.count(session: 2, host: "a") == 1)
        budget.give(session: 2, host: "a")
        #expect(budget == TransferBudget(policy: .limits(total: 3, host: 2)))
    }

    @Test func `the last place of a limit is not lent`() {
        var budget = TransferBudget(policy: .limits(total: 4, host: 3))
        budget.take(session: 1, of: 1, host: "a")
        #expect(!budget.canLend(session: 1, host: "a", sessionLimit: 2))
        #expect(budget.canLend(session: 1, host: "a", sessionLimit: 3))
        budget.take(session: 1, of: 1, host: "a")
        #expect(!budget.canLend(session: 1, host: "a", sessionLimit: 9))
        #expect(!budget.isFull(session: 1, host: "a", sessionLimit: 9))
        // Whoever comes next has it.
        budget.take(session: 2, of: 2, host: "a")
        #expect(budget.isFull(session: 1, host: "a", sessionLimit: 9))
        #expect(!budget.canLend(session: 1, host: "b", sessionLimit: 9))
    }

    @Test func `all hosts together have a limit`() {
        var budget = TransferBudget(policy: .limits(total: 2, host: 2))
        budget.take(session: 1, of: 1, host: "a")
        budget.take(session: 1, of: 1, host: "b")
        #expect(budget.free == 0)
        #expect(!budget.admits(session: 1, host: "c", sessionLimit: 9))
        #expect(budget.saturatedHosts == ["a", "b"])
    }

    @Test func `a session has a limit for each host`() {
        var budget = TransferBudget(policy: .limits(total: 9, host: 9))
        budget.take(session: 1, of: 1, host: "a")
        budget.take(session: 1, of: 1, host: "b")
        budget.take(session: 2, of: 2, host: "a")
        #expect(!budget.admits(session: 1, host: "a", sessionLimit: 1))
        #expect(budget.admits(session: 1, host: "a", sessionLimit: 2))
        #expect(budget.admits(session: 1, host: "c", sessionLimit: 1))
        #expect(budget.saturatedSessions(host: "a") { $0 == 1 ? 1 : 2 } == [1])
        #expect(budget.saturatedSessions(host: "b") { _ in 1 } == [1])
        #expect(budget.saturatedSessions(host: "c") { _ in 1 }.isEmpty)
    }

    @Test func `a limit of none counts as one`() {
        var budget = TransferBudget(policy: .limits(total: 9, host: 9))
        #expect(budget.admits(session: 1, host: "a", sessionLimit: 0))
        budget.take(session: 1, of: 1, host: "a")
        #expect(!budget.admits(session: 1, host: "a", sessionLimit: 0))
        #expect(budget.saturatedSessions(host: "a") { _ in 0 } == [1])
    }
}
