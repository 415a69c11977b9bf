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

/// A mistake that is built into a history of mirrors, to see that it is found.
enum MirrorSabotage: CaseIterable, Sendable {
    /// A mirror is taken whatever its bytes are.
    case takesMirrorsUnproved
    /// Parts are taken whatever their version is.
    case takesAnyVersion
    /// A connection that was lent is not given back now and then.
    case keepsConnections
    /// A connection is given back to another server than the one it was lent for.
    case givesBackElsewhere
    /// The record of a file has more parts than were written.
    case claimsTooMuch
    /// The record of a file lacks a part that was written.
    case claimsTooLittle
    /// The bytes of a part go to another place.
    case misplacesParts
    /// It is not heard now and then that there is no further connection.
    case overhearsRefusals
    /// Connections go on that were cancelled.
    case keepsParts
    /// No digest is compared.
    case skipsDigests
    /// Where a part is lost, all is begun anew.
    case restartsForParts
}
