import FerryStore
import FoundationEssentials

/// The applications that have sessions.
struct Applications: Hashable, Sendable {
    typealias Application = DaemonStateMachine.Application

    private var applications: [Int64: Application] = [:]
    /// The time until which none is started: clients of an earlier daemon reconnect first.
    private(set) var relaunchesBegin = Date.distantPast

    /// Whether there is no application.
    var isEmpty: Bool { applications.isEmpty }

    /// The applications' numbers.
    var ids: Dictionary<Int64, Application>.Keys { applications.keys }

    /// The applications, in no order.
    var values: Dictionary<Int64, Application>.Values { applications.values }

    /// An application, if it exists.
    subscript(id: Int64) -> Application? { applications[id] }

    /// An application, if it exists.
    subscript(named identifier: String) -> Application? {
        applications.values.first { $0.record.identifier == identifier }
    }

    /// No application is started before a date.
    mutating func holdRelaunches(until date: Date) { relaunchesBegin = date }

    /// An application is in the store.
    mutating func add(_ application: Application) {
        applications[application.record.id] = application
    }

    /// Takes over what a client says about its application; the state of its starts is more recent here than in a
    /// receipt.
    mutating func note(_ record: ApplicationRecord) {
        applications[record.id, default: Application(record)].note(record)
    }

    /// Changes an application, if it exists.
    ///
    /// - Parameters:
    ///   - id: The application's number.
    ///   - change: What happens to it.
    /// - Returns: What that returns; `nil` if there is no such application.
    @discardableResult
    mutating func update<Result>(
        _ id: Int64,
        _ change: (inout Application) -> Result
    ) -> Result? {
        applications.update(id, change)
    }

    /// An application is gone from the store.
    mutating func remove(_ id: Int64) { applications[id] = nil }
}
