import FerryStore
import FoundationEssentials

/// How the applications have been served, and which tasks have left their places to others.
struct FairShares: Hashable, Sendable {
    /// A task that has left its place because it brought next to nothing.
    private struct Yield: Hashable, Sendable {
        /// The number of times.
        var count: Int
        /// Until when it comes after all other tasks.
        var until: Date
    }

    private let maximumYields: Int
    private let trickleTime: Double
    private let maximumTrickleDoublings: Int
    private var turns: [Int64: CandidateSearch.Turn] = [:]
    private var turnCount: UInt64 = 0
    private var yields: [Int64: Yield] = [:]
    private var review = PlannedTimer()
    private var needsEarlierReview = false

    init(policy: DaemonPolicy) {
        maximumYields = policy.maximumYields
        trickleTime = policy.trickleTime
        maximumTrickleDoublings = policy.maximumTrickleDoublings
    }

    // MARK: Turns

    /// Returns how the applications have been served so far, with the places that each has now.
    func turns(havingPlaces places: [Int64: Int]) -> [Int64: CandidateSearch.Turn] {
        var turns = turns
        for (application, count) in places { turns[application, default: .init()].places = count }
        return turns
    }

    /// A task of an application starts.
    mutating func served(_ application: Int64, host: String) {
        turnCount += 1
        turns[application] = CandidateSearch.Turn(lastServed: turnCount, lastHost: host)
    }

    /// Forgets an application that is gone.
    mutating func forget(application: Int64) { turns[application] = nil }

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

    // MARK: Tasks that have left their places

    /// Records that a task leaves its place as a trickle.
    mutating func yielded(_ task: Int64, at now: Date) {
        if yields.count >= maximumYields, yields[task] == nil,
            let first = yields.min(by: { ($0.value.until, $0.key) < ($1.value.until, $1.key) })
        {
            yields[first.key] = nil
        }
        let until = now + patience(with: task)
        yields[task] = Yield(count: (yields[task]?.count ?? 0) + 1, until: until)
    }

    /// Returns how long a transfer may trickle, in seconds: twice as long after each time that it has left its place.
    func patience(with task: Int64) -> Double {
        trickleTime * Double(1 << min(yields[task]?.count ?? 0, maximumTrickleDoublings))
    }

    /// Returns the tasks that come after all others.
    func yieldingTasks(at now: Date) -> [Int64] {
        yields.isEmpty ? [] : yields.filter { $0.value.until > now }.map(\.key)
    }

    /// Returns when the first of them no longer comes after all others.
    func nextYieldEnd(after now: Date) -> Date? {
        yields.values.map(\.until).filter { $0 > now }.min()
    }

    /// Returns until when a task comes after all others; `nil` if it does not.
    func yieldEnd(of task: Int64, after now: Date) -> Date? {
        yields[task].flatMap { $0.until > now ? $0.until : nil }
    }

    /// Lets all of them start, as no other task waits and there is room.
    ///
    /// - Returns: Whether there were any.
    mutating func callBackYields() -> Bool {
        var hasAny = false
        for id in yields.keys where yields[id]?.until != .distantPast {
            yields[id]?.until = .distantPast
            hasAny = true
        }
        return hasAny
    }

    /// Forgets a task that has ended.
    mutating func forget(task: Int64) { yields[task] = nil }
}
