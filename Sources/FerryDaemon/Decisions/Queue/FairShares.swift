import FerryStore
import FoundationEssentials

/// How the applications have been served, and which tasks were preempted because they had stalled.
struct FairShares: Hashable, Sendable {
    /// A task that was preempted because it had stalled.
    private struct Preemption: Hashable, Sendable {
        /// The number of times.
        var count: Int
        /// Until when it comes after all other tasks.
        var until: Date
    }

    private let maximumPreemptions: Int
    private let stallTime: Double
    private let maximumStallDoublings: Int
    private var turns: [ApplicationID: CandidateSearch.Turn] = [:]
    private var turnCount: UInt64 = 0
    private var preemptions: [TaskID: Preemption] = [:]
    private var review = PlannedTimer()
    private var needsEarlierReview = false

    init(policy: DaemonPolicy) {
        maximumPreemptions = policy.maximumPreemptions
        stallTime = policy.stallTime
        maximumStallDoublings = policy.maximumStallDoublings
    }

    // MARK: Turns

    /// Returns how the applications have been served so far, with the slots that each has now.
    func turns(havingSlots slots: [ApplicationID: Int]) -> [ApplicationID: CandidateSearch.Turn] {
        var turns = turns
        for (application, count) in slots { turns[application, default: .init()].slots = count }
        return turns
    }

    /// A task of an application starts.
    mutating func served(_ application: ApplicationID, host: String) {
        turnCount += 1
        turns[application] = CandidateSearch.Turn(lastServed: turnCount, lastHost: host)
    }

    /// Forgets an application that is gone.
    mutating func forget(application: ApplicationID) { turns[application] = nil }

    // MARK: Reviews

    /// Plans a review of the shares.
    ///
    /// - Returns: Whether that is earlier than planned before.
    mutating func planReview(at date: Date) -> Bool {
        needsEarlierReview = false
        return review.plan(at: date)
    }

    /// Whether a review is planned that is early enough for a task that waits for its share.
    var hasReview: Bool { !needsEarlierReview && review.isPlanned }

    /// Returns whether a review is planned that is early enough, for a date or an earlier one.
    func hasReview(by date: Date) -> Bool { !needsEarlierReview && review.isPlanned(by: date) }

    /// Records that a task that waits for its share may need an earlier review than the one that is planned.
    mutating func recordEarlierReview() { needsEarlierReview = true }

    /// Forgets the planned review: it begins.
    mutating func forgetReview() {
        needsEarlierReview = false
        review.forget()
    }

    // MARK: Stalled tasks

    /// Records that a stalled task is preempted.
    mutating func preempted(_ task: TaskID, at now: Date) {
        if preemptions.count >= maximumPreemptions, preemptions[task] == nil,
            let first = preemptions.min(by: { ($0.value.until, $0.key) < ($1.value.until, $1.key) })
        {
            preemptions[first.key] = nil
        }
        let until = now + stallLimit(of: task)
        preemptions[task] = Preemption(count: (preemptions[task]?.count ?? 0) + 1, until: until)
    }

    /// Returns how long a transfer may stall, in seconds: twice as long after each time that it was
    /// preempted for that.
    func stallLimit(of task: TaskID) -> Double {
        stallTime * Double(1 << min(preemptions[task]?.count ?? 0, maximumStallDoublings))
    }

    /// Returns the tasks that come after all others.
    func preemptedTasks(at now: Date) -> [TaskID] {
        preemptions.isEmpty ? [] : preemptions.filter { $0.value.until > now }.map(\.key)
    }

    /// Returns when the first of them no longer comes after all others.
    func nextPreemptionEnd(after now: Date) -> Date? {
        preemptions.values.map(\.until).filter { $0 > now }.min()
    }

    /// Returns until when a task comes after all others; `nil` if it does not.
    func preemptionEnd(of task: TaskID, after now: Date) -> Date? {
        preemptions[task].flatMap { $0.until > now ? $0.until : nil }
    }

    /// Lets all of them start, as no other task waits and there is room.
    ///
    /// - Returns: Whether there were any.
    mutating func readmitPreempted() -> Bool {
        var hasAny = false
        for id in preemptions.keys where preemptions[id]?.until != .distantPast {
            preemptions[id]?.until = .distantPast
            hasAny = true
        }
        return hasAny
    }

    /// Forgets a task that has ended.
    mutating func forget(task: TaskID) { preemptions[task] = nil }
}
