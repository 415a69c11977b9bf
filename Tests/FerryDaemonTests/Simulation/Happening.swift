/// What histories are to be full of; without it they prove little.
enum Happening: CaseIterable, Sendable {
    case daemonDies
    case processDies
    case powerCut
    case resumption
    case resumptionAfterPowerCut
    case restart
    case finalFailure
    case success
    case uploadSuccess
    case copiedSource
    case spoiltSource
    case cancellation
    case timeLimit
    case adoption
    case repeatedAdoption
    case keptLater
    case uselessResumeData
    case launch
    case failedLaunch
    case repeatedEvent
    case sessionInUse
    case storeFailure
    case quit
    case stop
    case idleEnd
    case lastMomentClient
    case challengeAnswer
    case delayedBegin
    case relink
    case networkLost
    case probedHost
    case networkWait
    case launchForQuestion
    case fullBudget
    case slowReader
}
