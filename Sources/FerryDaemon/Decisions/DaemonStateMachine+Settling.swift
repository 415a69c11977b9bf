import FerryStore

// Whatever an input has changed, what follows from it is decided here, once, when the input is handled, and nowhere else.
//
// The order: what the counts of a session decide (whether it is deleted, whether its application is started) needs counts
// that are up to date, so they are read first. A start of an application uses no slot. A search comes behind everything
// that frees one, and what is held against sleep behind everything that starts or stops. Idleness is last: it depends on
// all of that.
extension DaemonStateMachine {
    /// Decides what follows from the changes of this turn.
    mutating func settle() {
        for session in turn.takeSessionsToCount() { recount(session) }
        while let application = takeApplicationToExamine() { evaluateRelaunch(of: application) }
        if takeSearch() { searchForTasks() }
        // Both are taken.
        let marks = [running.takeActivity(), sleep.takeAwakening()]
        if marks.contains(true) { reviewInhibitionSoon() }
        evaluateIdleness()
    }

    private mutating func takeApplicationToExamine() -> ApplicationID? {
        for name in sessions.takeOpened() {
            if let id = applications[named: name]?.record.id { applications.examine(id) }
        }
        for id in sessions.takeApplications() { applications.examine(id) }
        return applications.takeMarked()
    }

    /// Returns whether tasks may start that could not before.
    private mutating func takeSearch() -> Bool {
        // All of them are taken.
        let marks = [
            turn.takeSearch(), running.takeRoom(), breaker.takeOpening(), endings.takeEnd(),
            creations.takeEnd(), followings.takeEnd(), sleep.takeRelease(),
        ]
        return marks.contains(true)
    }
}
