public import Foundation
public import FoundationNetworking

extension TransferDaemon {
    /// A snapshot of a background transfer.
    public struct Transfer: Identifiable, Hashable, Sendable {
        /// The transfer's number, unique among all applications of the user and never reused.
        public var id: Int
        /// The identifier of the application that created it.
        public var application: String
        /// The identifier of the background session in which it was created.
        public var session: String
        /// The task's number within that session, ``URLSessionTask/taskIdentifier``.
        public var taskIdentifier: Int
        /// What the transfer is doing.
        public var state: State
        /// The application's description of it, ``URLSessionTask/taskDescription``.
        public var taskDescription: String?
        /// Its weight among the application's transfers, from 0 to 1; 0.5 by default.
        public var priority: Float
        /// The request with which it was created.
        public var originalRequest: URLRequest {
            get { original.request }
            set { original = PassedRequest(newValue) }
        }
        /// The request after redirects; nil before the first response.
        public var currentRequest: URLRequest? {
            get { current?.request }
            set { current = newValue.map { PassedRequest($0) } }
        }
        /// The latest response; nil before the first one.
        public var response: HTTPURLResponse?
        /// The number of bytes of the body received so far.
        public var receivedByteCount: Int64
        /// The number of bytes of the whole body; nil if the server has not reported it.
        public var expectedByteCount: Int64?
        /// What it sends; nil for a download.
        public var upload: Upload?
        /// Why it waits, or that a person has paused it; nil if it is running, if its application has suspended it,
        /// or if it has ended.
        public var wait: Wait?
        /// The latest failure; kept while the transfer is retried.
        public var failure: Failure?
        /// The address that has taken the place of the original request's, by ``TransferDaemon/relink(_:to:)`` or its
        /// application; nil if there is none.
        public var relinkedURL: URL?
        /// How many bytes it has received or sent per second lately; nil if that is not known, or it is not running.
        public var bytesPerSecond: Int64?
        /// Its own limits, which ``TransferDaemon/setRates(_:of:)`` or its application has set.
        public var rates: TransferDaemon.Rates
        /// Whether any certificate of its server is accepted, ``TransferOptions/acceptsInvalidCertificates``.
        public var acceptsInvalidCertificates: Bool
        /// The number of failed attempts since it last had more bytes than ever.
        public var attempts: Int
        /// When it was created.
        public var created: Date
        private var original: PassedRequest
        private var current: PassedRequest?

        /// The address of the request with which it was created, without making the request; nil if there is none.
        package var originalAddress: String? { original.address }

        /// A transfer with the given properties.
        package init(
            id: Int,
            application: String,
            session: String,
            taskIdentifier: Int,
            state: State,
            taskDescription: String? = nil,
            priority: Float = 0.5,
            originalRequest: PassedRequest,
            currentRequest: PassedRequest? = nil,
            response: HTTPURLResponse? = nil,
            receivedByteCount: Int64 = 0,
            expectedByteCount: Int64? = nil,
            upload: Upload? = nil,
            wait: Wait? = nil,
            failure: Failure? = nil,
            relinkedURL: URL? = nil,
            bytesPerSecond: Int64? = nil,
            rates: TransferDaemon.Rates = .init(),
            acceptsInvalidCertificates: Bool = false,
            attempts: Int = 0,
            created: Date
        ) {
            self.id = id
            self.application = application
            self.session = session
            self.taskIdentifier = taskIdentifier
            self.state = state
            self.taskDescription = taskDescription
            self.priority = priority
            original = originalRequest
            current = currentRequest
            self.response = response
            self.receivedByteCount = receivedByteCount
            self.expectedByteCount = expectedByteCount
            self.upload = upload
            self.wait = wait
            self.failure = failure
            self.relinkedURL = relinkedURL
            self.bytesPerSecond = bytesPerSecond
            self.rates = rates
            self.acceptsInvalidCertificates = acceptsInvalidCertificates
            self.attempts = attempts
            self.created = created
        }
    }
}

extension TransferDaemon.Transfer {
    /// What a transfer is doing.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// Suspended until its application or the user resumes it.
        case suspended
        /// Waiting for a condition before it runs; see ``TransferDaemon/Transfer/wait``.
        case waiting
        /// Receiving, or about to.
        case running
        /// Ended, but not acknowledged by its application yet.
        case completed
    }

    /// The size and progress of an upload.
    public struct Upload: Hashable, Sendable {
        /// How many bytes the file has.
        public var byteCount: Int64
        /// How many of them have been sent in the latest attempt.
        public var sentByteCount: Int64

        /// An upload with the given figures.
        package init(byteCount: Int64, sentByteCount: Int64) {
            self.byteCount = byteCount
            self.sentByteCount = sentByteCount
        }
    }

    /// Why a transfer went wrong.
    public struct Failure: Hashable, Sendable {
        /// The failure's name, such as `connectionLost`.
        public var code: String
        /// A human-readable description.
        public var message: String

        /// A failure with a name and a message.
        package init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }
}

extension TransferDaemon.Transfer {
    /// The condition that a transfer waits for.
    public struct Wait: Hashable, Sendable {
        /// The kind of condition.
        public var reason: Reason
        /// When the wait ends; nil if that does not depend on time.
        public var until: Date?
        /// Human-readable details, such as the failure that is being retried.
        public var detail: String?

        /// A wait with a reason.
        package init(reason: Reason, until: Date? = nil, detail: String? = nil) {
            self.reason = reason
            self.until = until
            self.detail = detail
        }
    }
}

extension TransferDaemon.Transfer.Wait {
    /// The kind of condition that a transfer may wait for.
    ///
    /// New reasons may be added; treat an unknown one as its ``description``.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// It was suspended, by its application or by the user.
        public static let paused = Reason(name: "paused")
        /// The limit on running transfers from the same host is reached.
        public static let hostLimit = Reason(name: "hostLimit")
        /// The limit on running transfers is reached.
        public static let connectionLimit = Reason(name: "connectionLimit")
        /// It failed and will be retried after a delay.
        public static let backoff = Reason(name: "backoff")
        /// Its application wants it to begin later.
        public static let earliestBegin = Reason(name: "earliestBegin")
        /// Its application has to decide something first, such as which password to use.
        public static let application = Reason(name: "application")
        /// This machine has no route to any other; the transfer continues when there is one.
        public static let network = Reason(name: "network")
        /// The disk is full, or the user's quota is used up.
        public static let diskSpace = Reason(name: "diskSpace")
        /// Its host has failed repeatedly; only one transfer tries the host until it answers.
        public static let hostFailure = Reason(name: "hostFailure")
        /// It had stalled and was preempted for waiting transfers; it continues as soon as there is room.
        public static let fairShare = Reason(name: "fairShare")
        /// The network is metered, and the transfer must not use such a network.
        public static let expensiveNetwork = Reason(name: "expensiveNetwork")
        /// The network is to carry few bytes, and the transfer must not use such a network.
        public static let constrainedNetwork = Reason(name: "constrainedNetwork")
        /// The network is cellular, and the transfer must not use such a network.
        public static let cellularNetwork = Reason(name: "cellularNetwork")
        /// The machine runs on battery, and the transfer waits until it does not.
        public static let battery = Reason(name: "battery")
        /// The machine saves power, and the transfer waits until it does not.
        public static let powerSaver = Reason(name: "powerSaver")
        /// The present hour is not one that the user has set for such transfers.
        public static let outsideHours = Reason(name: "outsideHours")
        /// The machine is about to sleep or to shut down; the transfer runs when it goes on.
        public static let machineSleep = Reason(name: "machineSleep")
        /// Its server refuses the rest of it at its address.
        ///
        /// ``TransferDaemon/relink(_:to:)`` gives it another one; the old one is asked again at
        /// ``TransferDaemon/Transfer/Wait/until``.
        public static let expiredLink = Reason(name: "expiredLink")
        /// It is about to run.
        public static let starting = Reason(name: "starting")
        /// None of these; ``TransferDaemon/Transfer/Wait/detail`` says what.
        public static let other = Reason(name: "other")

        /// The reason of that name in the daemon's interface.
        package init(name: String) {
            self.name = name
        }

        /// The reason's name.
        public var description: String { name }
    }
}
