/// What histories of mirrors are to be full of; without it they prove little.
enum MirrorHappening: CaseIterable {
    case death
    case powerCut
    case cancellation
    case fullDisk
    case proof
    case refutation
    case mirrorPart
    case mirrorLead
    case continuedByMirror
    case heldParts
    case replacedConnection
    case refusedConnection
    case lentConnection
    case idleTimeout
    case restart
    case digestMismatch
    case errorPage
    case success
}
