import Testing

/// A simulation that cannot fail proves nothing: each of these mistakes must be found.
@Suite(.timeLimit(.minutes(5))) struct MirrorSabotageTests {
    private static let historyCount = 2000

    @Test(arguments: MirrorSabotage.allCases)
    func `the simulation finds what is wrong`(_ sabotage: MirrorSabotage) {
        let base = UInt64.random(in: 0 ... .max / 2)
        let isFound = (0..<Self.historyCount).contains { offset in
            let history = MirrorHistory(seed: base + UInt64(offset), sabotage: sabotage)
            do {
                try history.run()
                return false
            } catch {
                return true
            }
        }
        #expect(isFound, "not in \(Self.historyCount) histories from \(base) on")
    }
}
