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
