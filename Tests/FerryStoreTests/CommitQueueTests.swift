import Testing

@testable import FerryStore

@Suite(.timeLimit(.minutes(5)))
struct CommitQueueTests {
    private func request(_ mutation: Mutation) -> CommitRequest {
        CommitRequest(mutations: [mutation], durability: .synchronized) { _ in }
    }

    private func groups(_ mutations: [Mutation]) -> [[Mutation]] {
        var queue = CommitQueue()
        for mutation in mutations { _ = queue.append(request(mutation)) }
        return queue.takeGroups().map { $0.flatMap(\.mutations) }
    }

    @Test func `only the first request since the last taking asks to be taken`() {
        var queue = CommitQueue()
        let asks = (1...2).map { queue.append(request(.deleteTask(id: $0))) }
        #expect(asks == [true, false])
        let sizes = (1...2).map { _ in queue.takeGroups().map(\.count) }
        #expect(sizes == [[2], []])
        let asksAgain = queue.append(request(.deleteTask(id: 3)))
        #expect(asksAgain)
    }

    @Test func `requests keep their order and share a group`() {
        let mutations = (1...5).map { Mutation.deleteTask(id: $0) }
        #expect(groups(mutations) == [mutations])
    }

    @Test func `a request that may change any number of rows is alone`() {
        let small = Mutation.deleteTask(id: 1)
        let session = Mutation.deleteSession(id: 2)
        let application = Mutation.deleteApplication(id: 3)
        #expect(
            groups([small, small, session, small, application, session, small, small]) == [
                [small, small], [session], [small], [application], [session], [small, small],
            ]
        )
    }
}
