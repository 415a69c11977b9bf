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
    private var sharedLoads: [RequestIdentity: SharedLoad] = [:]
    private var downloadShares: [RequestIdentity: DownloadShare] = [:]
    private var multiplexingHosts: Set<String> = []
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
    func sharedLoad(for identity: RequestIdentity) -> (load: SharedLoad, isNew: Bool) {
        if let present = sharedLoads[identity] { return (present, false) }
        let load = SharedLoad { [weak self] in self?.sharedLoads[identity] = nil }
        sharedLoads[identity] = load
        return (load, true)
    }

    /// Returns a running download that others can join, or a new one.
    func downloadShare(
        for identity: RequestIdentity,
        first: DownloadContent
    ) -> (share: DownloadShare, isNew: Bool) {
        if let present = downloadShares[identity] { return (present, false) }
        let share = DownloadShare(first: first) { [weak self] in
            self?.downloadShares[identity] = nil
        }
        downloadShares[identity] = share
        return (share, true)
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
    }

    func leaveLine(_ transfer: InProcessTransfer) {
        guard let place = transfer.place else { return }
        line.leave(place)
        transfer.place = nil
    }

    /// Records the HTTP version in which a server has answered.
    ///
    /// With HTTP/2 requests share a connection, so a limit of streams takes the place of that of connections.
    func noteVersion(_ version: String, of url: String) {
        guard version.hasPrefix("HTTP/2"), let origin = Origin(url: url)?.description,
            multiplexingHosts.insert(origin).inserted
        else { return }
        admit(host: origin)
    }

    /// Gives connections to those in line, as far as there are some.
    private func admit(host: String) {
        while line.isAwaited(host), takeConnection(host: host) {
            guard let transfer = line.takeFirst(ofHost: host).flatMap({ transfers[$0] }) else {
                budget.giveBack(forHost: host)
                continue
            }
            transfer.place = nil
            transfer.admitted()
        }
    }

    private func takeConnection(host: String) -> Bool {
        budget.take(forHost: host, limitPerHost: limit(forHost: host)) == .admitted
    }

    /// Returns the limit for a host, or nil for the session's own; a resource that is not on a server needs no
    /// connection.
    private func limit(forHost host: String) -> Int? {
        if host.isEmpty { return .max }
        return multiplexingHosts.contains(host) ? Self.greatestStreamCount : nil
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
            onWait: { [weak task] in task?.tellWaitingForConnectivity() }
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
        budget.giveBack(forHost: origin)
        admit(host: origin)
    }
}
