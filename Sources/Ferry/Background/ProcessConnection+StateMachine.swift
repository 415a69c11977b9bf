import FerrySystem
import Foundation

extension ProcessConnection {
    /// Decides when to connect, and which sessions have the connection.
    ///
    /// Each attempt to connect has a number. Results of earlier attempts are ignored.
    struct StateMachine {
        /// A session, by the object that asks for it.
        typealias User = ObjectIdentifier

        /// An action of the connection; actions are performed in order.
        enum Effect: Equatable {
            /// Connects.
            case connect(attempt: Int)
            /// Calls ``StateMachine/waited(_:now:)`` after a while.
            case wait(Int, Duration)
            /// Lets sessions use the connection.
            case serve([User])
            /// Tells sessions that there is no connection.
            case fail([User], OpeningFailure)
            /// Tells sessions that the connection is lost.
            case end([User])
            /// Closes the connection.
            case close
        }

        private enum Condition: Equatable {
            /// There is no connection, and none is needed now.
            case idle
            /// A session wants to connect later; the number is that of the wait.
            case waiting(Int, until: ContinuousClock.Instant)
            case connecting
            case open
        }

        /// What the owner must do.
        var effects = EffectQueue<Effect>()
        private var condition = Condition.idle
        /// The number of the last attempt to connect.
        private(set) var attempt = 0
        private var waitCount = 0
        /// The sessions that want the connection.
        private var waiting: [User] = []
        /// The sessions that have the connection.
        private var served: Set<User> = []
        /// Those of them that use it only after a wait, by the number of the wait.
        private var postponed: [Int: User] = [:]

        /// Returns whether an attempt is the latest one.
        func isCurrent(_ attempt: Int) -> Bool { attempt == self.attempt }

        /// A session needs the connection, at once or after a while.
        ///
        /// All that wait for it are served by the first attempt that succeeds. A session that has had trouble over a
        /// connection that is open waits for the whole time.
        ///
        /// - Parameters:
        ///   - user: The session, which no longer uses a connection that it has had.
        ///   - delay: The time to wait.
        ///   - now: The current time.
        mutating func request(_ user: User, after delay: Duration, now: ContinuousClock.Instant) {
            forget(user)
            if condition == .open {
                served.insert(user)
                guard delay > .zero else { return effects.add(.serve([user])) }
                waitCount += 1
                postponed[waitCount] = user
                effects.add(.wait(waitCount, delay))
                return
            }
            waiting.append(user)
            switch condition {
            case .connecting, .open: break
            case .waiting(_, let until) where until <= now + delay: break
            case .idle, .waiting:
                guard delay > .zero else { return connect() }
                waitCount += 1
                condition = .waiting(waitCount, until: now + delay)
                effects.add(.wait(waitCount, delay))
            }
        }

        /// A wait is over.
        mutating func waited(_ number: Int, now: ContinuousClock.Instant) {
            if let user = postponed[number] { return request(user, after: .zero, now: now) }
            guard case .waiting(number, _) = condition else { return }
            guard !waiting.isEmpty else {
                condition = .idle
                return
            }
            connect()
        }

        private mutating func connect() {
            condition = .connecting
            attempt += 1
            effects.add(.connect(attempt: attempt))
        }

        /// There is a connection.
        mutating func connected(_ attempt: Int) {
            guard isCurrent(attempt), condition == .connecting else { return }
            guard !waiting.isEmpty else { return close() }
            condition = .open
            defer { waiting = [] }
            served = Set(waiting)
            effects.add(.serve(waiting))
        }

        /// There is no connection, or it is closed.
        mutating func failed(_ attempt: Int, _ failure: OpeningFailure) {
            guard isCurrent(attempt) else { return }
            switch condition {
            case .idle, .waiting: break
            case .connecting:
                defer { waiting = [] }
                close()
                effects.add(.fail(waiting, failure))
            case .open:
                defer { served = [] }
                close()
                effects.add(.end(Array(served)))
            }
        }

        /// A session no longer needs the connection.
        mutating func release(_ user: User) {
            forget(user)
            if condition == .open && served.isEmpty { close() }
        }

        private mutating func close() {
            condition = .idle
            attempt += 1
            effects.add(.close)
        }

        private mutating func forget(_ user: User) {
            served.remove(user)
            waiting.removeAll { $0 == user }
            postponed = postponed.filter { $0.value != user }
        }
    }
}
