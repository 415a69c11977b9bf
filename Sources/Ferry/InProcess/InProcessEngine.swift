import FerryHTTP
import FerrySystem
import FerryTransfer

/// Runs the downloads of one session in the app's process, on the event loop.
@LoopActor
final class InProcessEngine {
    nonisolated let configuration: URLSessionConfiguration.Values
    private var downloads: [Int: InProcessDownload] = [:]
    private var line = WaitingLine()
    private var budget: ConnectionBudget
    private var client: HTTPClient?
    /// Clients whose connections are not to be used for anything new, and that still have downloads.
    private var retiringClients: [HTTPClient] = []

    nonisolated init(configuration: URLSessionConfiguration.Values) {
        self.configuration = configuration
        budget = ConnectionBudget(
            limit: .max,
            limitPerHost: configuration.httpMaximumConnectionsPerHost
        )
    }

    // MARK: - Tasks

    func add(_ task: URLSessionDownloadTask, _ order: DownloadOrder) {
        let download = InProcessDownload(task: task, order: order, engine: self)
        downloads[task.taskIdentifier] = download
        guard let resumption = order.resumption else { return }
        LoopActor.task { await download.adopt(resumption) }
    }

    func perform(_ command: URLSessionTask.Lifecycle.Command, onTask identifier: Int) {
        // A task that has just ended may still be told something.
        guard let download = downloads[identifier] else { return }
        switch command {
        case .resume: download.resume()
        case .suspend: download.suspend()
        case .cancel: download.cancel(producingResumeData: false)
        case .cancelProducingResumeData: download.cancel(producingResumeData: true)
        }
    }

    func priorityChanged(ofTask identifier: Int) {
        guard let download = downloads[identifier], download.place != nil else { return }
        leaveLine(download)
        enterLine(download)
    }

    func ended(_ download: InProcessDownload) {
        downloads[download.task.taskIdentifier] = nil
        invalidateUnusedClients()
    }

    // MARK: - Connections

    func enterLine(_ download: InProcessDownload) {
        download.place = line.enter(
            task: download.task.taskIdentifier,
            host: download.host,
            priority: download.task.priority
        )
        admit(host: download.host)
    }

    func leaveLine(_ download: InProcessDownload) {
        guard let place = download.place else { return }
        line.leave(place)
        download.place = nil
    }

    func giveConnectionBack(of download: InProcessDownload) {
        budget.giveBack(forHost: download.host)
        admit(host: download.host)
    }

    private func admit(host: String) {
        while budget.admission(forHost: host) == .admitted,
            let identifier = line.takeFirst(ofHost: host)
        {
            guard let download = downloads[identifier] else { continue }
            _ = budget.take(forHost: host)
            download.place = nil
            download.admitted()
        }
    }

    // MARK: - Clients

    func makeClient() throws(TransferError) -> HTTPClient {
        if let client { return client }
        var settings = HTTPClient.Configuration()
        settings.maximumConnectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        do {
            let client = try HTTPClient(configuration: settings)
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
            let isUsed = downloads.values.contains { $0.client === client }
            if !isUsed { client.invalidate() }
            return !isUsed
        }
    }
}
