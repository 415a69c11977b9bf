import FerryHTTP
import FerrySystem
import FerryTransfer

/// Runs the tasks of one session in the app's process, on the event loop.
@LoopActor
final class InProcessEngine {
    nonisolated let configuration: URLSessionConfiguration.Values
    private var transfers: [Int: any InProcessTransfer] = [:]
    /// How connections are made, as configuration and environment have said when the session was made.
    nonisolated let clientConfiguration: HTTPClient.Configuration
    /// Who the session is to servers without asking the app, or why that cannot be read.
    nonisolated let ownIdentity: Result<HTTPIdentity, TransferError>?
    /// The servers that the app has said to trust.
    var approvedServers = ApprovedServers()
    /// Who the app has said to be, by whom it was asked.
    var identities: [Origin: HTTPIdentity] = [:]
    /// Where the responses to data tasks are kept.
    let cache: ResponseCache?
    /// The cookies that go with requests.
    let cookies: CookieStore
    /// The names and passwords that are known.
    let credentials: CredentialStore
    /// What is known of servers by the uploads to them.
    let uploadMemory = UploadMemory()
    /// How uploads are continued.
    var uploadProtocols = ResumableUpload.Protocols.automatic
    private var line = WaitingLine()
    private var budget: ConnectionBudget
    private var sharedLoads: [RequestIdentity: SharedLoad] = [:]
    private var downloadShares: [RequestIdentity: DownloadShare] = [:]
    private var multiplexingHosts: Set<String> = []
    /// How fast all of the session's tasks together may load and send.
    lazy var receivingLimit = RateLimit(bytesPerSecond: configuration.maximumReceiveRate)
    lazy var sendingLimit = RateLimit(bytesPerSecond: configuration.maximumSendRate)
    private var client: HTTPClient?
    /// Clients whose connections are not to be used for anything new, and that still have transfers.
    private var retiringClients: [HTTPClient] = []

    nonisolated init(configuration: URLSessionConfiguration.Values) {
        self.configuration = configuration
        // On the thread of the app, as files may keep their reader waiting.
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
        let download = InProcessDownload(task: task, specification: specification, engine: self)
        transfers[download.identifier] = download
        guard let resumption = specification.resumption else { return }
        LoopActor.task { await download.adopt(resumption) }
    }

    func add(
        _ task: URLSessionTask,
        _ sink: DataTransfer.Sink,
        _ specification: DataTaskSpecification
    ) {
        let transfer = DataTransfer(
            task: task,
            sink: sink,
            specification: specification,
            engine: self
        )
        transfers[transfer.identifier] = transfer
    }

    /// The app has taken what a data task has held back for it.
    func appCaughtUp(withTask identifier: Int) {
        (transfers[identifier] as? DataTransfer)?.holdBack(false)
    }

    func perform(_ command: URLSessionTask.Lifecycle.Command, onTask identifier: Int) {
        // A task that has just ended may still be told something.
        guard let transfer = transfers[identifier] else { return }
        switch command {
        case .resume: transfer.resume()
        case .suspend: transfer.suspend()
        case .cancel: transfer.cancel(producingResumeData: false)
        case .cancelProducingResumeData: transfer.cancel(producingResumeData: true)
        }
    }

    /// What holds for a task's transfer has changed.
    func transferOptionsChanged(ofTask identifier: Int) {
        transfers[identifier]?.decider.updateRates()
    }

    func relink(task identifier: Int, to request: TransferRequest) {
        (transfers[identifier] as? InProcessDownload)?.relink(to: request)
    }

    func priorityChanged(ofTask identifier: Int) {
        transfers[identifier]?.decider.updateRates()
        guard let transfer = transfers[identifier], transfer.place != nil else { return }
        leaveLine(transfer)
        enterLine(transfer)
    }

    func ended(_ transfer: any InProcessTransfer) {
        transfers[transfer.identifier] = nil
        invalidateUnusedClients()
    }

    // MARK: - Shared requests

    /// The request under way that others can join, or a new one.
    func sharedLoad(for identity: RequestIdentity) -> (load: SharedLoad, isNew: Bool) {
        if let present = sharedLoads[identity] { return (present, false) }
        let load = SharedLoad { [weak self] in self?.sharedLoads[identity] = nil }
        sharedLoads[identity] = load
        return (load, true)
    }

    /// The download under way that others can join, or a new one.
    func downloadShare(
        for identity: RequestIdentity,
        first: InProcessDownload
    ) -> (share: DownloadShare, isNew: Bool) {
        if let present = downloadShares[identity] { return (present, false) }
        let share = DownloadShare(first: first) { [weak self] in
            self?.downloadShares[identity] = nil
        }
        downloadShares[identity] = share
        return (share, true)
    }

    // MARK: - Connections

    func enterLine(_ transfer: any InProcessTransfer) {
        transfer.place = line.enter(
            task: transfer.identifier,
            host: transfer.host,
            priority: transfer.priority
        )
        admit(host: transfer.host)
    }

    func leaveLine(_ transfer: any InProcessTransfer) {
        guard let place = transfer.place else { return }
        line.leave(place)
        transfer.place = nil
    }

    func giveConnectionBack(of transfer: any InProcessTransfer) {
        giveConnectionBack(host: transfer.host)
    }

    /// A server has answered in this version of HTTP.
    ///
    /// With HTTP/2 its requests share a connection, so that the limit of connections is none for them.
    func noteVersion(_ version: String, of url: String) {
        guard version.hasPrefix("HTTP/2"), let origin = Origin(url: url)?.description,
            multiplexingHosts.insert(origin).inserted
        else { return }
        admit(host: origin)
    }

    /// Takes a connection for a task that has one already, if nobody else wants it.
    ///
    /// - Returns: Whether there was one.
    func takeSpareConnection(host: String) -> Bool {
        guard !line.isAwaited(host) else { return false }
        return budget.take(forHost: host, limitPerHost: limit(forHost: host)) == .admitted
    }

    /// Gives a connection back to those that wait.
    func giveConnectionBack(host: String) {
        budget.giveBack(forHost: host)
        admit(host: host)
    }

    private func admit(host: String) {
        let limit = limit(forHost: host)
        while budget.admission(forHost: host, limitPerHost: limit) == .admitted,
            let identifier = line.takeFirst(ofHost: host)
        {
            guard let transfer = transfers[identifier] else { continue }
            _ = budget.take(forHost: host, limitPerHost: limit)
            transfer.place = nil
            transfer.admitted()
        }
    }

    /// nil for the session's own limit; what is on no server needs no connection.
    private func limit(forHost host: String) -> Int? {
        if host.isEmpty { return .max }
        return multiplexingHosts.contains(host) ? Self.greatestStreamCount : nil
    }

    /// So many requests are sent at once to a server that multiplexes: what most servers take.
    private static let greatestStreamCount = 100

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

    /// Has new transfers use new connections.
    func renewConnections() {
        guard let client else { return }
        retiringClients.append(client)
        self.client = nil
        invalidateUnusedClients()
    }

    func shutDown() {
        for client in retiringClients { client.invalidate() }
        client?.invalidate()
        retiringClients = []
        client = nil
    }

    private func invalidateUnusedClients() {
        retiringClients.removeAll { client in
            let isUsed = transfers.values.contains { $0.client === client }
            if !isUsed { client.invalidate() }
            return !isUsed
        }
    }
}
