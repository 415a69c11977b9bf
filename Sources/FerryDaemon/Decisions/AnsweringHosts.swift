/// The hosts that have answered since the daemon began: there is a server, whatever fails now.
struct AnsweringHosts: Hashable, Sendable {
    /// How many are known at once; of more, those are forgotten that have not answered for longest.
    static let limit = 4096

    /// When each answered last, in the order of all answers.
    private var turns: [HostBreaker.Line: UInt64] = [:]
    private var count: UInt64 = 0

    /// A host has answered.
    mutating func note(_ host: HostBreaker.Line) {
        count += 1
        turns[host] = count
        // Half of them at once, as it takes a look at all.
        guard turns.count > Self.limit else { return }
        let middle = turns.values.sorted()[turns.count / 2]
        turns = turns.filter { $0.value > middle }
    }

    /// Whether a host has answered.
    func contains(_ host: HostBreaker.Line) -> Bool { turns[host] != nil }
}
