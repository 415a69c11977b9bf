import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A task that has a transfer, or is about to.
    struct RunningTask: Hashable, Sendable {
        /// The phase of a running task.
        enum Phase: Hashable, Sendable {
            /// Its application is being asked, and it has no transfer meanwhile.
            case asking
            /// Another task loads the same, and this one gets a copy of its file.
            case following
            /// It loads.
            case loading
            /// Its file is complete, and is being synchronized or stored.
            case finishing
            /// Its attempt has failed, which is being stored.
            case backingOff
            /// It ends for another reason.
            case ending
        }

        /// The limits that a running task counts against.
        enum Slot: Hashable, Sendable {
            /// All limits of transfers.
            case transfer
            /// The limit for its session's transfers from its host.
            case waiting
            /// None.
            case none
        }

        /// What stays the same while it runs; all copies of this value share it.
        private let start: Start
        /// The phase.
        private(set) var phase = Phase.loading
        /// The limits that it counts against.
        private(set) var slot: Slot
        /// The task whose bytes it gets.
        private(set) var leader: TaskID?
        /// The connections that it was lent beyond its first one.
        var lentConnections = LentConnections()
        /// The question that its application must answer before it continues.
        private(set) var question: Question?
        /// The priority that its application, or a person, has given it.
        private(set) var priority: Double
        /// The options that its application has set, if any.
        private(set) var options: Wire.TransferOptions?
        /// The conditions of the machine under which it is halted, besides those that its session avoids; `nil` if a
        /// person lets it run under all.
        private(set) var avoids: Conditions?
        /// The number of bytes of the body that are held.
        private(set) var receivedByteCount: Int64
        /// The size of the body, in bytes.
        private(set) var expectedByteCount: Int64?
        /// How much of the body has arrived in its coding, if it is decoded and its length in the coding is known.
        private(set) var coded: CodedProgress?
        /// The resource from which its upload resumes.
        private(set) var resource: UploadResource?
        /// The number of bytes of its file that it has sent; `nil` for a download.
        private(set) var sentByteCount: Int64?
        /// The latest response.
        private(set) var response: Wire.Response?
        /// The request after redirects.
        private(set) var currentRequest: Wire.Request?
        /// The transactions of this attempt, if its application collects metrics.
        private(set) var transactions: [LoadTransaction] = []
        /// The number of attempts that have failed since the byte count last exceeded its maximum.
        private(set) var attempts: Int
        /// The number of failed attempts that the store knows of.
        private var storedAttempts: Int
        /// The maximum number of body bytes in this attempt and earlier ones: received here, or held by the server of
        /// an upload.
        private(set) var mostByteCount: Int64
        /// Why its attempt has failed, while that is being stored.
        private(set) var failure: AttemptFailure?
        /// When the next attempt may start, while that is being stored.
        private(set) var notBefore: Date?
        /// Whether its application has made it from resume data, and has not been notified how much of that could be
        /// used.
        private var owesResumption: Bool
        /// The event that notifies its application of that once it is connected.
        private(set) var resumption: Wire.Event?
        /// Whether the store has a checkpoint of this run.
        private(set) var hasNewCheckpoint = false
        /// When its progress was last sent, or its attempt began: for a very short attempt, only the end is sent.
        private(set) var progressReportedAt: Date
        /// Its pace since it got its slot.
        private(set) var pace: Pace
        /// How many bytes it has received and sent per second lately.
        private(set) var speed = Speed()
        /// Whether its transfer has reported progress: the store may not know the latest.
        private(set) var hasReported = false
        /// Whether there is progress to send.
        private(set) var hasUnreportedProgress = false
        /// Whether the latest response is to be sent, together with the progress.
        private(set) var hasUnreportedResponse = false
        /// Whether the latest response is still to be stored, together with the next change.
        private var hasUnstoredResponse = false

        /// The task as it was when it started.
        var record: TaskRecord { start.record }

        /// The request that its application has made it with; `nil` if that cannot be read.
        var request: Wire.Request? { start.request }

        /// Its host, as its session saw it when it started.
        var line: HostBreaker.Line? { start.line }

        /// Whether a server has answered this attempt or one before.
        var hasBeenAnswered: Bool {
            response != nil || record.response != nil || receivedByteCount > 0
        }

        /// The number of bytes that it has received and sent.
        var carriedByteCount: Int64 { receivedByteCount + (sentByteCount ?? 0) }

        /// Whether it loads, and does not wait for anything.
        var isActive: Bool { phase != .backingOff && question == nil }

        /// What is to be held against the machine's sleep for it.
        var inhibition: MachineSleep.Inhibition {
            guard isActive, phase != .asking else { return [] }
            return options?.keepsMachineAwake == true ? [.delay, .awake] : .delay
        }

        /// Makes a task that starts, or asks its application whether it may.
        ///
        /// - Parameters:
        ///   - record: The task.
        ///   - line: Its host, as its session sees it; `nil` for a task that needs no slot.
        ///   - now: The time.
        init(_ record: TaskRecord, line: HostBreaker.Line? = nil, at now: Date) {
            start = Start(record: record, line: line)
            slot = line == nil ? .none : .transfer
            progressReportedAt = now
            // Each attempt at an upload gets its own response.
            let isUpload = record.upload != nil
            pace = Pace(byteCount: isUpload ? 0 : record.receivedByteCount, at: now)
            receivedByteCount = isUpload ? 0 : record.receivedByteCount
            expectedByteCount = isUpload ? nil : record.expectedByteCount
            sentByteCount = isUpload ? 0 : nil
            resource = isUpload ? record.uploadResource : nil
            attempts = record.attempts
            storedAttempts = record.attempts
            let earlier = record.lastError?.value?.mostByteCount ?? 0
            let present = isUpload ? resource?.acknowledgedByteCount : record.receivedByteCount
            mostByteCount = max(present ?? 0, earlier)
            priority = record.priority
            options = record.validOptions
            avoids = record.avoids
            currentRequest = record.replacement
            owesResumption = record.checkpoint?.value?.isFromResumeData ?? false
        }

        private final class Start: Hashable, Sendable {
            let record: TaskRecord
            let request: Wire.Request?
            let line: HostBreaker.Line?

            init(record: TaskRecord, line: HostBreaker.Line?) {
                self.record = record
                request = record.request.value
                self.line = line
            }

            static func == (first: Start, second: Start) -> Bool {
                first === second || (first.record == second.record && first.line == second.line)
            }

            func hash(into hasher: inout Hasher) { hasher.combine(record.id) }
        }

        // MARK: Its slot

        /// It waits for its application, and leaves its slot to others.
        mutating func beginWait(in budget: inout TransferBudget) {
            guard slot == .transfer else { return }
            budget.beginWait(session: record.sessionID, host: record.host)
            slot = .waiting
        }

        /// It continues after it has waited for its application, even without room: its pace is measured anew.
        mutating func endWait(in budget: inout TransferBudget, at now: Date) {
            guard slot == .waiting else { return }
            budget.endWait(session: record.sessionID, host: record.host)
            slot = .transfer
            pace = Pace(byteCount: carriedByteCount, at: now)
        }

        /// It no longer needs its slot.
        mutating func release(in budget: inout TransferBudget) {
            guard slot != .none else { return }
            budget.give(
                session: record.sessionID,
                host: record.host,
                isWaiting: slot == .waiting
            )
            slot = .none
        }

        // MARK: The bytes of another

        /// It gets the bytes of another task.
        mutating func follow(_ leader: Self) {
            phase = .following
            self.leader = leader.record.id
            mirror(leader)
            hasUnreportedResponse = leader.response != nil
            hasUnreportedProgress = leader.hasReported
        }

        /// The task whose bytes it gets has progressed.
        mutating func record(_ leader: Self, hasAnswered: Bool) {
            mirror(leader)
            hasUnreportedProgress = true
            if hasAnswered { hasUnreportedResponse = true }
        }

        private mutating func mirror(_ leader: Self) {
            response = leader.response
            currentRequest = leader.currentRequest
            receivedByteCount = leader.receivedByteCount
            expectedByteCount = leader.expectedByteCount
            coded = leader.coded
            hasReported = leader.hasReported
        }

        /// Returns it without the bytes of the task that it follows.
        func withOwnBytes() -> Self {
            var own = self
            own.receivedByteCount = record.receivedByteCount
            own.expectedByteCount = record.expectedByteCount
            own.coded = nil
            return own
        }

        // MARK: Progress

        /// Its transfer resumes after bytes that an earlier attempt has loaded.
        mutating func resume(behind offset: Int64, of expected: Int64?) {
            receivedByteCount = offset
            expectedByteCount = expected
            pace.goesOn(behind: offset)
            hasReported = true
            // An application that made its task from resume data is notified once how much of it was used (RD-7), but
            // not about attempts that ferryd makes by itself (BG-18).
            guard owesResumption else { return }
            resumption = Wire.Event(
                kind: .resumed,
                task: record.identifier,
                offset: offset,
                expectedByteCount: expected
            )
        }

        /// Its application was notified how much of its resume data could be used.
        mutating func reportedResumption() {
            resumption = nil
            owesResumption = false
        }

        /// A server has answered its request, perhaps after redirects.
        mutating func answered(_ response: Wire.Response, to request: Wire.Request) {
            self.response = response
            let isReplaced = record.replacement != nil
            let isAnother = isReplaced || start.request?.url != request.url
            currentRequest = isAnother ? request : nil
            // A response in place of the remaining bytes does not replace the response to the bytes at hand.
            hasUnstoredResponse = response.status < 300 || receivedByteCount == 0
            hasUnreportedResponse = true
            hasUnreportedProgress = true
        }

        /// Bytes of its body have arrived.
        mutating func received(
            _ byteCount: Int64,
            of expected: Int64?,
            coded: CodedProgress?,
            at now: Date
        ) {
            if isFurther(byteCount) {
                mostByteCount = byteCount
                attempts = 0
            }
            receivedByteCount = byteCount
            expectedByteCount = expected
            self.coded = coded
            recordProgress(at: now)
        }

        /// Whether a download has never had as many bytes.
        ///
        /// An upload starts over each time, and would otherwise do so without a pause; so would a download whose server
        /// sends the same bytes again and again.
        func isFurther(_ byteCount: Int64) -> Bool {
            byteCount > mostByteCount && sentByteCount == nil
        }

        /// Bytes of its file have left.
        mutating func sent(_ byteCount: Int64, at now: Date) {
            sentByteCount = byteCount
            recordProgress(at: now)
        }

        /// Its request is made again: of an upload, the server has only what it has acknowledged.
        mutating func sendAgain() {
            if sentByteCount != nil { sentByteCount = resource?.acknowledgedByteCount ?? 0 }
        }

        private mutating func recordProgress(at now: Date) {
            hasReported = true
            hasUnreportedProgress = true
            pace.record(carriedByteCount, at: now)
            speed.record(carriedByteCount, at: now)
        }

        /// Its upload resumes elsewhere, or its server has it no longer.
        mutating func moved(to resource: UploadResource?) {
            // An upload that progresses is retried as soon as after its first failure; sending again what a server has
            // lost is no progress.
            if let resource, resource.acknowledgedByteCount > mostByteCount {
                mostByteCount = resource.acknowledgedByteCount
                attempts = 0
            }
            self.resource = resource
        }

        /// The store has a checkpoint of this run.
        mutating func checkpointed() { hasNewCheckpoint = true }

        /// A request of it has ended.
        mutating func collect(_ transaction: LoadTransaction) { transactions.append(transaction) }

        /// Its application was notified of its progress.
        mutating func reportedProgress(at now: Date) {
            hasUnreportedResponse = false
            hasUnreportedProgress = false
            progressReportedAt = now
        }

        /// Its application was notified of its response.
        mutating func reportedResponse() { hasUnreportedResponse = false }

        // MARK: What the store does not have

        /// Returns the change that stores the latest response, unless the store has it.
        mutating func takeResponse() -> [Mutation] {
            guard hasUnstoredResponse else { return [] }
            hasUnstoredResponse = false
            return [
                .setExchange(
                    task: record.id,
                    currentRequest: currentRequest.map { Encoded($0) },
                    response: response.map { Encoded($0) }
                )
            ]
        }

        /// Returns the change that records that failed attempts no longer count, if the store does not know.
        mutating func takeAttempts() -> [Mutation] {
            guard attempts < storedAttempts else { return [] }
            storedAttempts = attempts
            var failure = record.lastError?.value
            failure?.mostByteCount = mostByteCount
            return [
                .setRetry(
                    task: record.id,
                    attempts: attempts,
                    notBefore: nil,
                    lastError: failure.map { Encoded($0) }
                )
            ]
        }

        // MARK: Questions and options

        /// Its application is asked; unless it is about a challenge, it has no transfer meanwhile.
        mutating func ask(_ question: Question) {
            if question.challenge == nil { phase = .asking }
            self.question = question
        }

        /// The question was sent over a subscription.
        mutating func sentQuestion(over subscription: CallID) {
            question?.sent(over: subscription)
        }

        /// Its application has answered.
        mutating func endQuestion() { question = nil }

        /// Its application has other options for it.
        mutating func set(_ options: Wire.TransferOptions?) { self.options = options }

        /// It has another priority.
        mutating func prioritize(_ priority: Double) { self.priority = priority }

        /// Its application wants it to avoid other conditions, or a person lets it run under all.
        mutating func avoid(_ conditions: Conditions?) {
            if avoids != nil { avoids = conditions }
        }

        // MARK: The end of an attempt

        /// Its file is complete.
        mutating func finish(byteCount: Int64) {
            receivedByteCount = byteCount
            expectedByteCount = byteCount
            // The end reports everything.
            hasUnreportedProgress = false
            phase = .finishing
        }

        /// It has a copy of the file of the task whose bytes it gets.
        mutating func finish(byteCount: Int64, response: Wire.Response?) {
            finish(byteCount: byteCount)
            self.response = response
            hasUnstoredResponse = true
        }

        /// Failed attempts of the task whose bytes it gets no longer count.
        mutating func forgiveAttempts() { attempts = 0 }

        /// Its attempt has failed.
        mutating func backOff() { leave(for: .backingOff) }

        /// Its failure is being stored.
        mutating func failed(_ failure: AttemptFailure, retryingAt date: Date) {
            self.failure = failure
            notBefore = date
        }

        /// It ends, although its file is not complete.
        mutating func end() { leave(for: .ending) }

        private mutating func leave(for phase: Phase) {
            self.phase = phase
            leader = nil
        }
    }
}
