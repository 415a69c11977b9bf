import CCurl
package import FerrySystem

/// Sends requests and delivers their responses, on the process's event loop.
///
/// A client has its own connections, which it keeps for the next requests. Its owner ends it with
/// ``invalidate()``; a client without an owner ends itself in the same way.
@LoopActor package final class HTTPClient {
    /// How this client talks to servers.
    package let configuration: Configuration

    let multi: CurlMulti
    /// Whether requests by `http` may go through a proxy.
    let mayUseProxy: Bool
    var splicePipe: SplicePipe?
    /// The exchanges that libcurl has released before their end.
    var exchangesOutsideLibrary: [ObjectIdentifier: HTTPExchange] = [:]
    /// Handles for the next requests: making one costs more than resetting one.
    private var spareEasies: [CurlEasy] = []
    /// The hosts, with their ports, that have refused HTTP/1.1 in the handshake.
    private var http2Hosts: Set<String> = []
    private var isInvalid = false
    private var sleep: SleepObservation?

    /// Makes a client with its own connections.
    ///
    /// - Throws: ``HTTPError/Code/outOfMemory`` when libcurl cannot be set up.
    package init(configuration: Configuration = Configuration()) throws(HTTPError) {
        self.configuration = configuration
        multi = try CurlMulti(configuration)
        mayUseProxy = configuration.proxies.http != nil
        multi.onCompletion = { [weak self] in self?.completed($0, $1) }
        // Servers and routers have forgotten the connections meanwhile, without a word that has arrived here.
        sleep = SleepMonitor.shared.observe { [weak self] in self?.endIdleConnections() }
    }

    isolated deinit {
        sleep?.cancel()
        closeSilently()
    }

    /// Sends a request; failures are reported to the handler, never synchronously.
    ///
    /// The client keeps the handler until the exchange has finished or is cancelled.
    ///
    /// Requests beyond the connection limits wait inside libcurl, where each costs about 13 KiB and thousands
    /// take ever more time: the caller should keep a long queue itself.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The source of the request's body, in place of ``HTTPRequest/body``.
    ///   - handler: The receiver of the exchange's events.
    /// - Returns: The exchange, which has not begun.
    @discardableResult
    package func start(
        _ request: HTTPRequest,
        body: (any HTTPBodySource)? = nil,
        handler: any HTTPExchangeHandler
    ) -> HTTPExchange {
        let exchange = HTTPExchange(request: request, body: body, handler: handler, client: self)
        begin(exchange)
        return exchange
    }

    /// Cancels every exchange, without a call to any handler, and closes the connections.
    ///
    /// Requests that are started afterwards fail with ``HTTPError/Code/aborted``.
    package func invalidate() {
        isInvalid = true
        spareEasies = []
        closeSilently()
    }

    /// Ends the connections that are kept for the next requests, which get new ones.
    ///
    /// A client does so by itself when the machine has slept, as far as the kernel reports that. Exchanges that are
    /// under way keep their connections.
    package func endIdleConnections() { multi.endIdleConnections() }

    private func begin(_ exchange: HTTPExchange) {
        guard exchange.body?.byteCount == 0 else { return begin(checked: exchange) }
        exchange.findEndOfBody { [weak self] in
            guard let self, !isInvalid else { return exchange.cancel() }
            if !exchange.machine.hasEnded { begin(checked: exchange) }
        }
    }

    private func begin(checked exchange: HTTPExchange) {
        do throws(HTTPError) {
            try start(exchange)
        } catch {
            LoopActor.perform { exchange.completed(error) }
        }
    }

    private func start(_ exchange: HTTPExchange) throws(HTTPError) {
        guard !isInvalid else {
            throw HTTPError(code: .aborted, message: "The client was invalidated")
        }
        try CurlURL.check(exchange.request.url)
        try exchange.request.checkIsSendable()
        let easy = try takeEasy()
        try easy.work(for: exchange, by: protocolChoice(for: exchange), configuration)
        exchange.easy = easy
        multi.add(easy)
    }

    private func takeEasy() throws(HTTPError) -> CurlEasy {
        if let spare = spareEasies.popLast() { return spare }
        return try CurlEasy()
    }

    private func closeSilently() {
        for exchange in multi.exchanges + exchangesOutsideLibrary.values {
            exchange.cancel()
        }
        multi.close()
    }

    // MARK: Protocols

    /// Returns the protocol to ask a server for.
    private func protocolChoice(for exchange: HTTPExchange) -> HTTPRequest.ProtocolChoice {
        let request = exchange.request
        if !http2Hosts.isEmpty, let host = try? CurlURL.tunnelTarget(of: request.url),
            http2Hosts.contains(host)
        {
            return .http2
        }
        return HTTPRequest.hasBytes(exchange.body) ? .http1 : request.protocolChoice
    }

    /// Records that a server speaks HTTP/2 alone.
    func recordHTTP2Only(_ url: String) {
        guard let host = try? CurlURL.tunnelTarget(of: url) else { return }
        http2Hosts.insert(host)
    }

    /// Records that the server of a connection has not processed what was sent after a stream.
    func serverLeft(_ connection: InternetConnection, after stream: UInt32) {
        for exchange in multi.exchanges { exchange.serverLeft(connection, after: stream) }
    }

    // MARK: What exchanges ask for

    /// Sends the request of an exchange again, after libcurl has released it.
    func startAgain(_ exchange: HTTPExchange) { begin(exchange) }

    /// Removes an exchange from libcurl, which then no longer reports it.
    func withdraw(_ exchange: HTTPExchange) {
        exchangesOutsideLibrary[ObjectIdentifier(exchange)] = nil
        guard let easy = exchange.easy else { return }
        exchange.recordCounts()
        exchange.easy = nil
        multi.remove(easy) { [weak self] in self?.recycle(easy) }
    }

    /// Makes libcurl deliver what it holds for an exchange.
    func release(_ exchange: HTTPExchange) {
        guard let easy = exchange.easy else { return }
        multi.release(easy)
    }

    // MARK: What libcurl reports

    private func completed(_ easy: CurlEasy, _ code: CURLcode) {
        guard let exchange = easy.exchange else { return }
        let error = code == CURLE_OK ? nil : easy.error(code, hasHead: exchange.hasHead)
        exchange.recordCounts()
        exchange.easy = nil
        recycle(easy)
        exchange.completed(error)
    }

    private func recycle(_ easy: CurlEasy) {
        easy.reset()
        // As many handles as connections are kept; each is a few kilobytes.
        guard !isInvalid, spareEasies.count < CurlMulti.keptConnectionCount, easy.isReusable else {
            return
        }
        spareEasies.append(easy)
    }
}
