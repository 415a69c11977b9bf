import Testing

/// A simulation that cannot fail proves nothing: each of these mistakes must be found.
@Suite(.timeLimit(.minutes(5))) struct SabotageTests {
    /// The rarest ones are found in one history of some hundred; as a rule it takes a few.
    private static let historyCount = 2000

    @Test(arguments: Sabotage.allCases)
    func `the simulation finds what is wrong`(_ sabotage: Sabotage) {
        let base = UInt64.random(in: 0 ... .max / 2)
        let isFound = (0..<Self.historyCount).contains { offset in
            let simulation = Simulation(seed: base + UInt64(offset), sabotage: sabotage)
            simulation.run()
            return simulation.violation != nil
        }
        #expect(isFound, "not in \(Self.historyCount) histories from \(base) on")
    }
}
