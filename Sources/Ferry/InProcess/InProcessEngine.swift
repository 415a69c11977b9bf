import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation

/// Runs the tasks of one session in the app's process, on the event loop.
@LoopActor
final class InProcessEngine {
    nonisolated let configuration: URLSessionConfiguration.Values
    private var transfers: [Int: InProcessTransfer] = [:]
    /// The configuration of connections, as the session's configuration and the environment defined it when the session
    /// was made.
    nonisolated let clientConfiguration: HTTPClient.Configuration
    /// The session's own client identity, used without asking the app, or the error of reading it.
    nonisolated let ownIdentity: Result<HTTPIdentity, TransferError>?
    /// The servers that the app has decided to trust.
    var approvedServers = ApprovedServers()
    /// The client identities that the app has provided, by the origin that asked.
    var identities: [Origin: HTTPIdentity] = [:]
    /// The cache for responses to data tasks.
    let cache: ResponseCache?
    /// The cookies that go with requests.
    let cookies: CookieStore
    /// The known names and passwords.
    let credentials: CredentialStore
    /// The properties of servers that earlier uploads have found out.
    let uploadMemory = UploadMemory()
    /// The protocols by which uploads are resumed.
    var uploadProtocols = ResumableUpload.Protocols.automatic
    private var line = WaitingLine()
    private var budget: ConnectionBudget
    /// The requests that others can join.
    private var sharedRequests: [RequestIdentity: any SharedRequest] = [:]
    /// The connections of the servers that multiplex, which their requests share.
    private var multiplexed: [String: Int] = [:]
    private let connections: ProcessConnections
    /// The hosts whose next task waits for a connection of the process's.
    private var waitingHosts = WaitingHosts()
    /// The source of the machine's conditions.
    private lazy var conditions: any ConditionsProvider =
        configuration.conditions ?? ConditionsMonitor.shared
    /// The rate limits for all of the session's tasks together.
    lazy var receivingLimit = RateLimit(bytesPerSecond: configuration.maximumReceiveRate)
    lazy var sendingLimit = RateLimit(bytesPerSecond: configuration.maximumSendRate)
    /// The client of new transfers; an earlier one ends with its last transfer.
    private var client: HTTPClient?
    /// The directory for files, as it was found in the loop's current turn.
    private var directory: Directory?

    nonisolated init(configuration: URLSessionConfiguration.Values) {
        self.configuration = configuration
        // On the app's thread, because reading files may block.
        clientConfiguration = configuration.client.readingAuthorities()
        ownIdentity = configuration.clientCertificate.map(HTTPIdentity.reading)
        cache = configuration.hasCache ? ResponseCache(configuration: configuration) : nil
        cookies = CookieStore(configuration: configuration)
        credentials = CredentialStore(configuration: configuration)
        budget = ConnectionBudget(
            limit: .max,
            limitPerHost: configuration.httpMaximumConnectionsPerHost
        )
        connections = configuration.connections ?? .shared
    }

    // MARK: - Tasks

    func add(_ task: URLSessionDownloadTask, _ specification: DownloadTaskSpecification) {
        let decider = TaskDecider(task: task, engine: self)
        let content = DownloadContent(specification, of: task, decider: decider)
        add(InProcessTransfer(content, isPreparing: specification.resumption != nil))
        guard let resumption = specification.resumption else { return }
        LoopActor.task { await content.adopt(resumption) }
    }

    func add(
        _ task: URLSessionTask,
        _ sink: DataContent.Sink,
        _ specification: DataTaskSpecification
    ) {
        let decider = TaskDecider(task: task, engine: self)
        add(InProcessTransfer(DataContent(specification, into: sink, decider: decider)))
    }

    private func add(_ transfer: InProcessTransfer) { transfers[transfer.identifier] = transfer }

    /// The app has read the data that a data task held back.
    func appCaughtUp(withTask identifier: Int) { transfers[identifier]?.appCaughtUp() }

    func perform(_ command: URLSessionTask.Lifecycle.Command, onTask identifier: Int) {
        // A task that has just ended may still receive a command.
        guard let transfer = transfers[identifier] else { return }
        switch command {
        case .resume: transfer.resume()
        case .suspend: transfer.suspend()
        case .cancel: transfer.cancel(producingResumeData: false)
        case .cancelProducingResumeData: transfer.cancel(producingResumeData: true)
        }
    }

    /// A task's transfer options have changed.
    func transferOptionsChanged(ofTask identifier: Int) {
        transfers[identifier]?.decider.updateRates()
    }

    func relink(task identifier: Int, to request: TransferRequest) {
        transfers[identifier]?.relink(to: request)
    }

    func priorityChanged(ofTask identifier: Int) {
        transfers[identifier]?.decider.updateRates()
        guard let transfer = transfers[identifier], transfer.place != nil else { return }
        leaveLine(transfer)
        enterLine(transfer)
    }

    func ended(_ transfer: InProcessTransfer) {
        transfers[transfer.identifier] = nil
    }

    // MARK: - Shared requests

    /// Returns a running request that other tasks can join, or a new one.
    ///
    /// - Parameters:
    ///   - identity: What equal requests have in common.
    ///   - make: Makes a new one, which calls the closure when tasks can no longer join.
    /// - Returns: The request, and whether it is new.
    func sharedRequest<Request: SharedRequest>(
        for identity: RequestIdentity,
        make: (_ close: @escaping @LoopActor () -> Void) -> Request
    ) -> (request: Request, isNew: Bool) {
        if let present = sharedRequests[identity] as? Request { return (present, false) }
        let request = make { [weak self] in self?.sharedRequests[identity] = nil }
        sharedRequests[identity] = request
        return (request, true)
    }

    // MARK: - Connections

    /// Gives a transfer a connection, at once or when it is its turn.
    func enterLine(_ transfer: InProcessTransfer) {
        guard !lend(connectionTo: transfer.host) else { return transfer.admitted() }
        transfer.place = line.enter(
            task: transfer.identifier,
            host: transfer.host,
            priority: transfer.priority
        )
        waitForConnection(to: transfer.host)
    }

    func leaveLine(_ transfer: InProcessTransfer) {
        guard let place = transfer.place else { return }
        line.leave(place)
        transfer.place = nil
    }

    /// Records the HTTP version in which a server has answered.
    ///
    /// With HTTP/2 requests share a connection, so a limit of streams takes the place of that of connections.
    func recordVersion(_ version: String, of url: String) {
        guard version.hasPrefix("HTTP/2"), let origin = Origin(url: url)?.description,
            multiplexed[origin] == nil
        else { return }
        multiplexed[origin] = budget.count(forHost: origin)
        admit(host: origin)
    }

    /// Gives connections to those in line, as far as there are some.
    private func admit(host: String) {
        while let transfer = takeFirst(ofHost: host) { transfer.admitted() }
        waitForConnection(to: host)
    }

    /// Returns the next transfer in line, with a connection that was taken for it, if there is one.
    private func takeFirst(ofHost host: String) -> InProcessTransfer? {
        guard line.isAwaited(host), takeConnection(host: host) else { return nil }
        while let task = line.takeFirst(ofHost: host) {
            guard let transfer = transfers[task] else { continue }
            transfer.place = nil
            return transfer
        }
        giveBack(connectionTo: host)
        return nil
    }

    private func takeConnection(host: String) -> Bool {
        guard budget.take(forHost: host, limitPerHost: limit(forHost: host)) == .admitted else {
            return false
        }
        guard needsConnection(host: host) else { return true }
        guard connections.take() else {
            budget.giveBack(forHost: host)
            return false
        }
        multiplexed[host]? += 1
        return true
    }

    private func giveBack(connectionTo host: String) {
        budget.giveBack(forHost: host)
        guard !host.isEmpty else { return }
        if let count = multiplexed[host] {
            // A connection stays as long as requests may go over it.
            guard count > budget.count(forHost: host) else { return }
            multiplexed[host] = count - 1
        }
        connections.giveBack()
    }

    /// Whether a request counts among the connections of the process: not if it goes over one that is there, or to no
    /// server.
    private func needsConnection(host: String) -> Bool {
        !host.isEmpty && multiplexed[host, default: 0] == 0
    }

    /// Waits for a connection of the process's, if the next task of a host waits for nothing else.
    private func waitForConnection(to host: String) {
        guard needsProcessConnection(host) else { return }
        // While hosts wait, the session does.
        if waitingHosts.isEmpty { connections.wait(self) }
        waitingHosts.append(host)
    }

    /// Whether the next task of a host waits for nothing but a connection of the process's.
    private func needsProcessConnection(_ host: String) -> Bool {
        line.isAwaited(host)
            && budget.admission(forHost: host, limitPerHost: limit(forHost: host)) == .admitted
    }

    /// Returns the limit for a host, or nil for the session's own; a resource that is not on a server needs no
    /// connection.
    private func limit(forHost host: String) -> Int? {
        if host.isEmpty { return .max }
        return multiplexed[host] == nil ? nil : Self.greatestStreamCount
    }

    /// The number of concurrent requests to a server that multiplexes, which most servers allow.
    private static let greatestStreamCount = 100

    // MARK: - The network

    /// The conditions of the network, as far as they are known: while a task is there that avoids some.
    var networkConditions: Conditions {
        conditions.conditions?.intersection(.network) ?? []
    }

    /// Makes the gate that a task passes before it loads.
    func makeGate(for task: URLSessionTask) -> ConnectivityGate {
        ConnectivityGate(
            host: task.originalRequest?.url?.host ?? "localhost",
            waits: configuration.waitsForConnectivity,
            avoids: Conditions(avoidedBy: task.originalRequest, in: configuration),
            conditions: conditions,
            onWait: { [weak task] in task?.notifyWaitingForConnectivity() }
        )
    }

    // MARK: - Files

    /// The directory for files, which is looked for once in each turn of the loop.
    func downloadDirectory() throws(TransferError) -> Directory {
        if let directory { return directory }
        let directory = try DownloadDirectory.open()
        self.directory = directory
        LoopActor.perform { self.directory = nil }
        return directory
    }

    // MARK: - Clients

    func makeClient() throws(TransferError) -> HTTPClient {
        if let client { return client }
        _ = try ownIdentity?.get()
        do {
            let client = try HTTPClient(configuration: clientConfiguration)
            self.client = client
            return client
        } catch {
            throw TransferError(error)
        }
    }

    /// Makes new transfers use new connections.
    func renewConnections() { client = nil }

    func shutDown() {
        client?.invalidate()
        client = nil
    }
}

/// Downloads get further connections within the session's limit, and only while no task waits for one.
extension InProcessEngine: ConnectionLender {
    func lend(connectionTo origin: String) -> Bool {
        !line.isAwaited(origin) && takeConnection(host: origin)
    }

    func takeBack(connectionTo origin: String) {
        giveBack(connectionTo: origin)
        admit(host: origin)
    }
}

extension InProcessEngine: ConnectionWaiter {
    func connectionIsFree() {
        var transfer: InProcessTransfer?
        while transfer == nil, connections.hasRoom, let host = waitingHosts.popFirst() {
            transfer = takeFirst(ofHost: host)
            // Behind the others: each host has its turn.
            if transfer != nil, needsProcessConnection(host) { waitingHosts.append(host) }
        }
        if !waitingHosts.isEmpty { connections.wait(self) }
        transfer?.admitted()
    }
}
