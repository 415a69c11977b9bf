import CCurl
import FerrySystem
import Glibc

/// libcurl's multi handle on the event loop, which watches its sockets and keeps its timer, so that libcurl
/// runs only when there is something to do.
///
/// libcurl must not be called from its own callbacks. Work that a callback requests from this class is done
/// as soon as libcurl has returned.
@LoopActor final class CurlMulti {
    private struct Completion {
        let easy: CurlEasy
        let exchange: HTTPExchange?
        let code: CURLcode

        @LoopActor init(of easy: CurlEasy, code: CURLcode) {
            self.easy = easy
            exchange = easy.exchange
            self.code = code
        }
    }

    /// Called when libcurl is done with an easy handle; it has been removed, unless it is a connection for WebSocket.
    var onCompletion: ((CurlEasy, CURLcode) -> Void)?

    private var handle: UnsafeMutableRawPointer?
    private var easies: [UnsafeMutableRawPointer: CurlEasy] = [:]
    /// Whether all exchanges that may share a connection follow libcurl's log.
    private var followsSharedLogs = false
    private var watches: [curl_socket_t: SocketWatch] = [:]
    /// The sockets of all open connections; the descriptor of a closed one may be something else by now.
    private var sockets: Set<curl_socket_t> = []
    /// The sockets whose endpoints are known.
    private var ends: [InternetConnection: curl_socket_t] = [:]
    private var timer: LoopTimer?
    /// Distinguishes the current call from one that it has replaced.
    private var scheduleCount = 0
    private var isInsideLibrary = false
    private var postponed: [() -> Void] = []
    /// The exchange whose pieces are gathered.
    private var gatherer: HTTPExchange?
    /// A buffer for pieces, while there are handles.
    private var sparePieces: GatheredPieces?

    /// Makes a multi handle with its own connections.
    init(_ configuration: HTTPClient.Configuration) throws(HTTPError) {
        guard CurlLibrary.setUp == CURLE_OK, let handle = curl_multi_init() else {
            throw HTTPError(code: .outOfMemory, message: "libcurl cannot be set up")
        }
        self.handle = handle
        CCurl_multi_setopt_long(
            handle,
            CURLMOPT_MAX_HOST_CONNECTIONS,
            configuration.maximumConnectionsPerHost
        )
        CCurl_multi_setopt_long(
            handle,
            CURLMOPT_MAX_TOTAL_CONNECTIONS,
            configuration.maximumConnections
        )
        // By default libcurl keeps four times as many connections as there are handles, and between the end
        // of one response and the next request there are few handles.
        CCurl_multi_setopt_long(handle, CURLMOPT_MAXCONNECTS, Self.keptConnectionCount)
        // The server decides how many requests an HTTP/2 connection carries at once.
        CCurl_multi_setopt_long(handle, CURLMOPT_MAX_CONCURRENT_STREAMS, Self.streamCount)
        report(of: handle)
    }

    /// More than servers commonly allow (RFC 9113 §6.5.2 recommends at least 100).
    private static let streamCount = 1000
    static let keptConnectionCount = 64

    isolated deinit {
        closeNow()
    }

    /// The exchanges of the added handles.
    var exchanges: [HTTPExchange] { easies.values.compactMap(\.exchange) }

    // MARK: Handles

    /// Starts a configured handle; its outcome is reported later.
    func add(_ easy: CurlEasy) {
        outside { [self] in
            guard let handle else { return }
            reportClosing(of: easy)
            followLogs(with: easy)
            let code = curl_multi_add_handle(handle, easy.handle)
            easies[easy.handle] = easy
            if code != CURLM_OK { fail(easy, CURLE_FAILED_INIT) }
        }
    }

    /// Has the logs read that may say of an exchange that its server has not processed it.
    ///
    /// That a server leaves may be read by any of the exchanges that share its connection. The log takes a twentieth of
    /// the work for a small response, so it is read only once there is a request to which that matters.
    private func followLogs(with easy: CurlEasy) {
        if easy.mayShare, !easy.isRepeatable, !followsSharedLogs {
            followsSharedLogs = true
            for other in easies.values where other.mayShare { other.followLog() }
        }
        if !easy.isRepeatable || (easy.mayShare && followsSharedLogs) { easy.followLog() }
    }

    /// Removes a handle, whatever its state, and then calls `completion`.
    func remove(_ easy: CurlEasy, completion: @escaping () -> Void) {
        outside { [self] in
            guard let handle, forget(easy) else { return }
            detach(easy, from: handle)
            completion()
        }
    }

    /// Forgets a handle; returns `false` if it is not known.
    @discardableResult
    private func forget(_ easy: CurlEasy) -> Bool {
        guard easies.removeValue(forKey: easy.handle) != nil else { return false }
        if easies.isEmpty { sparePieces = nil }
        return true
    }

    /// Takes a handle that may be paused out of the multi handle.
    private func detach(_ easy: CurlEasy, from handle: UnsafeMutableRawPointer) {
        enter { easy.discardHeldBytes() }
        curl_multi_remove_handle(handle, easy.handle)
    }

    /// Makes libcurl deliver again the bytes that a write callback told it to hold.
    ///
    /// libcurl may call back before this returns.
    func release(_ easy: CurlEasy) {
        outside { [self] in
            guard easies[easy.handle] != nil else { return }
            enter { curl_easy_pause(easy.handle, CURLPAUSE_CONT) }
        }
    }

    /// Stops reading for a handle, from inside one of libcurl's callbacks, and calls `completion` as soon as
    /// libcurl has returned.
    func hold(_ easy: CurlEasy, completion: @escaping () -> Void) {
        curl_easy_pause(easy.handle, CURLPAUSE_RECV)
        outside(completion)
    }

    /// Removes all handles and closes all connections; nothing is reported afterwards.
    func close() {
        onCompletion = nil
        outside { [self] in closeNow() }
    }

    private func closeNow() {
        guard let handle else { return }
        for easy in easies.values {
            detach(easy, from: handle)
            easy.reset()
        }
        curl_multi_cleanup(handle)
        self.handle = nil
        easies = [:]
        timer?.cancel()
        for present in watches.values {
            present.watch.cancel()
        }
        watches = [:]
    }

    // MARK: Driving

    /// Reports to libcurl what a socket is ready for, or that its timer is due.
    private func drive(_ socket: curl_socket_t, _ readiness: Int32) {
        enter {
            guard let handle else { return }
            var runningCount: Int32 = 0
            curl_multi_socket_action(handle, socket, readiness, &runningCount)
        }
        reportCompletions()
    }

    private func enter(_ body: () -> Void) {
        isInsideLibrary = true
        body()
        endGathering()
        isInsideLibrary = false
        while !postponed.isEmpty {
            let work = postponed
            postponed = []
            for item in work { item() }
        }
    }

    private func outside(_ work: @escaping () -> Void) {
        if isInsideLibrary {
            postponed.append(work)
        } else {
            work()
        }
    }

    /// Returns a buffer for the pieces of an exchange's body, which are delivered before libcurl returns.
    func gather(for exchange: HTTPExchange) -> GatheredPieces {
        endGathering()
        gatherer = exchange
        defer { sparePieces = nil }
        return sparePieces ?? GatheredPieces()
    }

    /// Takes back the buffer of an exchange.
    func reuse(_ pieces: GatheredPieces, of exchange: HTTPExchange) {
        if gatherer === exchange { gatherer = nil }
        if !easies.isEmpty { sparePieces = pieces }
    }

    private func endGathering() {
        guard let exchange = gatherer else { return }
        gatherer = nil
        exchange.flushGathered()
    }

    private func reportCompletions() {
        var completions: [Completion] = []
        var waitingCount: Int32 = 0
        while let handle, let message = curl_multi_info_read(handle, &waitingCount)?.pointee {
            guard message.msg == CURLMSG_DONE, let easy = easies[message.easy_handle] else {
                continue
            }
            completions.append(Completion(of: easy, code: message.data.result))
        }
        for completion in completions {
            complete(completion)
        }
    }

    /// Ends a transfer that libcurl cannot continue, never synchronously.
    private func fail(_ easy: CurlEasy, _ code: CURLcode) {
        let completion = Completion(of: easy, code: code)
        LoopActor.perform { [weak self] in self?.complete(completion) }
    }

    private func complete(_ completion: Completion) {
        let easy = completion.easy
        // The receiver of an earlier completion may have removed this handle, started another exchange with
        // it, or closed everything.
        guard let handle, easy.exchange === completion.exchange, easies[easy.handle] != nil else {
            return
        }
        if !easy.isForConnectionOnly || completion.code != CURLE_OK {
            forget(easy)
            curl_multi_remove_handle(handle, easy.handle)
        }
        onCompletion?(easy, completion.code)
    }

    // MARK: What libcurl asks for

    /// Records a socket that was made for a connection.
    func made(_ socket: curl_socket_t) {
        willClose(socket)
        sockets.insert(socket)
    }

    /// Forgets a socket that is about to be closed.
    func willClose(_ socket: curl_socket_t) {
        forget(socket)
        guard sockets.remove(socket) != nil else { return }
        ends = ends.filter { $0.value != socket }
    }

    private func forget(_ socket: curl_socket_t) {
        watches.removeValue(forKey: socket)?.watch.cancel()
    }

    /// Returns the socket of a connection, which libcurl does not report during a transfer.
    func socket(of connection: InternetConnection) -> curl_socket_t? {
        if let known = ends[connection] { return known }
        let socket = sockets.first { InternetConnection(of: $0) == connection }
        ends[connection] = socket
        return socket
    }

    /// Ends all open connections that carry no request at the moment; libcurl finds that out before it uses one.
    ///
    /// libcurl 7.88 cannot be told to close them.
    func endIdleConnections() {
        let used = Set(easies.values.compactMap { $0.connection.flatMap { socket(of: $0) } })
        for socket in sockets.subtracting(used) where watches[socket]?.isResting ?? true {
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }

    /// Watches a socket of a handle; an empty set ends that, before the socket is closed.
    func watch(
        _ socket: curl_socket_t,
        for readiness: Readiness,
        of handle: UnsafeMutableRawPointer?
    ) {
        do throws(SystemCallError) {
            if readiness.isEmpty {
                rest(socket)
            } else if watches[socket] != nil {
                try watches[socket]?.wake(for: readiness)
            } else {
                let watch = try EventLoop.shared.watch(socket, for: readiness) {
                    [weak self] in self?.socket(socket, isReadyFor: $0)
                }
                watches[socket] = SocketWatch(watch, readiness)
            }
        } catch {
            // The transfer would wait forever on an unwatched socket, and libcurl would end all its work if
            // an error were returned to it.
            if let handle, let easy = easies[handle] { fail(easy, CURLE_UNRECOVERABLE_POLL) }
        }
    }

    /// Stops waiting for a socket, whether for now or permanently.
    private func rest(_ socket: curl_socket_t) {
        // A socket that is still connecting may be closed without notice.
        guard watches[socket]?.readiness == .readable else { return forget(socket) }
        watches[socket]?.isResting = true
    }

    private func socket(_ socket: curl_socket_t, isReadyFor readiness: Readiness) {
        // The other end has closed a kept connection; libcurl notices when it needs the connection.
        guard watches[socket]?.isResting == false else { return forget(socket) }
        var events: Int32 = 0
        if readiness.contains(.readable) { events |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
        if !readiness.isDisjoint(with: .hangUp) { events |= CURL_CSELECT_ERR }
        drive(socket, events)
    }

    /// Calls libcurl after a delay, in place of the previously requested call; `nil` for no call.
    func schedule(after delay: Duration?) {
        timer?.cancel()
        timer = nil
        scheduleCount += 1
        guard let delay else { return }
        guard delay > .zero else {
            // libcurl cannot be called from here. The mailbox, unlike a timer, costs no system call, and
            // libcurl requests this once or twice per request.
            LoopActor.perform { [weak self, scheduleCount] in
                guard let self, scheduleCount == self.scheduleCount else { return }
                drive(CCurl_socket_timeout(), 0)
            }
            return
        }
        timer = EventLoop.shared.schedule(after: delay) { [weak self] in
            self?.drive(CCurl_socket_timeout(), 0)
        }
    }
}

/// The library as a whole.
enum CurlLibrary {
    /// The result of the global setup that each process needs before anything else.
    static let setUp = curl_global_init(Int(CURL_GLOBAL_ALL))

    /// Whether libcurl asks for a piece of a request's body only when it has sent the one before, as 7.x does.
    ///
    /// Later versions ask whenever their buffer has room.
    static let sendsPieceByPiece =
        curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? .max < 0x08_00_00
}

// The callbacks of libcurl's multi handle. Their context is the CurlMulti, unretained: it closes the multi
// handle before it goes away. libcurl calls them only inside calls on the event loop's thread, hence
// `assumeIsolated`; the handle is only compared, hence `nonisolated(unsafe)`.

extension CurlMulti {
    /// Makes libcurl request its sockets and its timer from this object.
    func report(of handle: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        CCurl_multi_set_socket_function(handle, willWatch, context)
        CCurl_multi_set_timer_function(handle, willSchedule, context)
    }
}

extension CurlMulti {
    /// Makes libcurl report when it is about to close a socket of a handle's connections.
    func reportClosing(of easy: CurlEasy) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        CCurl_easy_set_closesocket_function(easy.handle, closeSocket)
        CCurl_easy_setopt_pointer(easy.handle, CURLOPT_CLOSESOCKETDATA, context)
    }
}

private func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
    if let context {
        let multi = Unmanaged<CurlMulti>.fromOpaque(context)
        LoopActor.assumeIsolated { multi.takeUnretainedValue().willClose(socket) }
    }
    return close(socket)
}

private func willWatch(
    _ easy: UnsafeMutableRawPointer?,
    _ socket: curl_socket_t,
    _ what: Int32,
    _ context: UnsafeMutableRawPointer?,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    let readiness: Readiness =
        switch what {
        case CURL_POLL_IN: .readable
        case CURL_POLL_OUT: .writable
        case CURL_POLL_INOUT: [.readable, .writable]
        default: []
        }
    guard let context else { return 0 }
    let multi = Unmanaged<CurlMulti>.fromOpaque(context)
    nonisolated(unsafe) let easy = easy
    LoopActor.assumeIsolated {
        multi.takeUnretainedValue().watch(socket, for: readiness, of: easy)
    }
    return 0
}

private func willSchedule(
    _ handle: UnsafeMutableRawPointer?,
    _ milliseconds: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    let multi = Unmanaged<CurlMulti>.fromOpaque(context)
    // -1 cancels the timer.
    let delay = milliseconds < 0 ? nil : Duration.milliseconds(milliseconds)
    LoopActor.assumeIsolated(with: (multi, delay)) { multi, delay in
        multi.takeUnretainedValue().schedule(after: delay)
    }
    return 0
}

/// A connection's socket that the event loop watches.
///
/// It stays watched between two requests: removing it and adding it again would cost two system calls per
/// request.
@LoopActor struct SocketWatch {
    let watch: Watch
    /// What the kernel is asked to report.
    private(set) var readiness: Readiness
    /// Whether libcurl is not waiting for the socket at the moment.
    var isResting = false

    init(_ watch: Watch, _ readiness: Readiness) {
        self.watch = watch
        self.readiness = readiness
    }

    /// Waits for `readiness` from now on.
    mutating func wake(for readiness: Readiness) throws(SystemCallError) {
        isResting = false
        guard readiness != self.readiness else { return }
        try watch.update(readiness)
        self.readiness = readiness
    }
}
