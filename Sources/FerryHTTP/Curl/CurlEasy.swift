import CCurl
import FerrySystem

/// One of libcurl's easy handles, with the settings for one request at a time.
@LoopActor final class CurlEasy {
    /// The handle, which identifies this object in libcurl's reports.
    let handle: UnsafeMutableRawPointer

    /// The exchange that this works for; libcurl's callbacks rely on its being kept here.
    private(set) var exchange: HTTPExchange?

    /// The object that takes part in the handshakes for this handle.
    weak var party: (any HandshakeParty)?

    /// Called with each line of a proxy's response to CONNECT, if only a connection is wanted.
    var onTunnelLine: (@LoopActor (UnsafeRawBufferPointer) -> Void)?

    /// Whether only a connection is wanted, which ends when the handle is removed.
    var isForConnectionOnly = false

    /// The addresses that libcurl was given, which may contain secrets.
    var addresses: [String] = []
    /// Whether the exchange may share its connection with others.
    private(set) var mayShare = false
    /// Whether the request is sent again whatever its server has done with it: it is idempotent, has no body that would have
    /// to be had again, and was sent once.
    private(set) var isRepeatable = true
    /// When the request was given to libcurl.
    private var start = EventLoop.now

    /// The authorities to trust in place of libcurl's.
    var authorities: TrustedAuthorities?

    private let errorText: UnsafeMutablePointer<CChar>
    private var fieldList: CurlFieldList?
    /// The fields that are for a proxy.
    var proxyFieldList: CurlFieldList?
    /// The addresses of hosts that are not looked up.
    var routeLists: [CurlFieldList] = []

    /// Makes an easy handle.
    init() throws(HTTPError) {
        guard let handle = curl_easy_init() else {
            throw HTTPError(code: .outOfMemory, message: "libcurl gives no handle")
        }
        self.handle = handle
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    isolated deinit {
        curl_easy_cleanup(handle)
        errorText.deallocate()
    }

    /// Forgets the previous request, but neither connections nor resolved names.
    func reset() {
        curl_easy_reset(handle)
        exchange = nil
        party = nil
        onTunnelLine = nil
        isForConnectionOnly = false
        authorities = nil
        fieldList = nil
        proxyFieldList = nil
        routeLists = []
        addresses = []
        (mayShare, isRepeatable) = (false, true)
        errorText.pointee = 0
    }

    /// Whether the handle can be used again after a reset.
    ///
    /// If a handle was removed during a transfer, libcurl may keep its buffer, whose size can then no longer
    /// be set (`CURLOPT_BUFFERSIZE`).
    var isReusable: Bool {
        CCurl_easy_setopt_long(handle, CURLOPT_BUFFERSIZE, Int(CURL_MAX_WRITE_SIZE)) == CURLE_OK
    }

    /// Sets the handle up for an exchange, until ``reset()``.
    func work(
        for exchange: HTTPExchange,
        by protocolChoice: HTTPRequest.ProtocolChoice,
        _ configuration: HTTPClient.Configuration
    ) throws(HTTPError) {
        self.exchange = exchange
        party = exchange
        setCallbacks(context: exchange)
        var request = exchange.request
        request.protocolChoice = protocolChoice
        try configure(for: request, body: exchange.body, configuration)
        if exchange.needsNewConnection { try set(CURLOPT_FRESH_CONNECT, 1) }
        mayShare = protocolChoice == .http2 && request.isSecure
        isRepeatable =
            HTTPExchange.isIdempotent(request.method) && !HTTPRequest.hasBytes(exchange.body)
            && !exchange.needsNewConnection
    }

    /// Gives libcurl the time for a connection, of which it gives each address of the host a part.
    ///
    /// libcurl counts from the start of the request, which may have waited for a connection.
    ///
    /// - Parameter timeout: The time from now on; zero for no limit, as when there is a connection: libcurl may have to make
    ///   another one later.
    func allow(_ timeout: Duration) {
        let end = (EventLoop.now - start + timeout) / .milliseconds(1)
        let milliseconds = timeout > .zero ? min(end, Double(Int32.max)) : Double(Int32.max)
        CCurl_easy_setopt_long(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(milliseconds))
    }

    /// Makes an error from a result, with libcurl's details.
    func error(_ code: CURLcode, hasHead: Bool) -> HTTPError {
        if let refusal = tunnelRefusal { return refusal }
        // No text of libcurl's goes anywhere else. Some show an address with its password.
        let detail = SecretText.masked(
            String(cString: errorText),
            hiding: addresses.flatMap { SecretText.secrets(in: $0) }
        )
        let isOffline = Self.isLookup(code) && !ConnectivityMonitor.shared.ask().allowsAttempts
        return HTTPError(
            CurlFailure(
                code: code.rawValue,
                systemError: Int32(truncatingIfNeeded: information(CURLINFO_OS_ERRNO)),
                certificateVerdict: information(CURLINFO_SSL_VERIFYRESULT),
                hasHead: hasHead,
                text: detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail,
                isOffline: isOffline
            )
        )
    }

    /// Whether a name lookup failed, which is the only sign of a missing network.
    private static func isLookup(_ code: CURLcode) -> Bool {
        code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY
    }

    // MARK: What libcurl knows

    /// The length of the response's body as libcurl has understood it.
    var bodyByteCount: Int64? {
        let length = offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        return length < 0 ? nil : length
    }

    /// How many bytes of the body libcurl has read.
    var downloadedByteCount: Int64 { offset(CURLINFO_SIZE_DOWNLOAD_T) }

    /// Whether the request was sent by `http`, without TLS.
    var isPlain: Bool { text(CURLINFO_SCHEME)?.lowercased() == "http" }

    /// The connection that the request was sent on; `nil` if there is none.
    var connection: InternetConnection? {
        guard let local = end(CURLINFO_LOCAL_IP, CURLINFO_LOCAL_PORT),
            let remote = end(CURLINFO_PRIMARY_IP, CURLINFO_PRIMARY_PORT)
        else { return nil }
        return InternetConnection(local: local, remote: remote)
    }

    /// How long the phases of the request have taken so far.
    var phases: CurlPhases {
        CurlPhases(
            lookup: .microseconds(offset(CURLINFO_NAMELOOKUP_TIME_T)),
            connect: .microseconds(offset(CURLINFO_CONNECT_TIME_T)),
            secureConnect: .microseconds(offset(CURLINFO_APPCONNECT_TIME_T)),
            isReusedConnection: information(CURLINFO_NUM_CONNECTS) == 0
        )
    }

    /// The size of the header that was sent.
    var requestHeaderByteCount: Int64 { Int64(information(CURLINFO_REQUEST_SIZE)) }

    /// The size of all headers received.
    var responseHeaderByteCount: Int64 { Int64(information(CURLINFO_HEADER_SIZE)) }

    private func end(_ address: CURLINFO, _ port: CURLINFO) -> InternetConnection.End? {
        guard let address = text(address), let port = UInt16(exactly: information(port)), port > 0
        else { return nil }
        return InternetConnection.End(address: address, port: port)
    }

    private func text(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        guard CCurl_easy_getinfo_string(handle, info, &value) == CURLE_OK, let value else {
            return nil
        }
        return String(cString: value)
    }

    private func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = -1
        return CCurl_easy_getinfo_offset(handle, info, &value) == CURLE_OK ? Int64(value) : -1
    }

    func information(_ info: CURLINFO) -> Int {
        var value = 0
        return CCurl_easy_getinfo_long(handle, info, &value) == CURLE_OK ? value : 0
    }

    // MARK: Options

    /// Sets all options for a request, on a new or reset handle.
    func configure(
        for request: HTTPRequest,
        body: (any HTTPBodySource)? = nil,
        _ configuration: HTTPClient.Configuration
    ) throws(HTTPError) {
        start = EventLoop.now
        addresses = [request.url]
        try set(CURLOPT_URL, request.url)
        try configureConnection(configuration, request)
        try configureProxy(configuration.proxies, request)
        try configureRoute(configuration.route)
        try configureTrust(configuration, request)
        try configureFields(request, configuration)
        try configureMethod(request.method, body: body)
    }

    private func configureConnection(
        _ configuration: HTTPClient.Configuration,
        _ request: HTTPRequest
    ) throws(HTTPError) {
        try check(CCurl_easy_setopt_pointer(handle, CURLOPT_ERRORBUFFER, errorText))
        // Signals belong to the process: libcurl must not use its alarm.
        try set(CURLOPT_NOSIGNAL, 1)
        // Otherwise removing a handle blocks the event loop until its name server has answered.
        try set(CURLOPT_QUICK_EXIT, 1)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        // The URL stays as the caller wrote it: signatures cover it.
        try set(CURLOPT_PATH_AS_IS, 1)
        // The exchange has its own timeouts. libcurl's would include the time that a request waits for a free
        // connection of the client; this is its maximum, until a connection is made.
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(Int32.max))
        // Each attempt asks for the address that holds now. Systems have a cache of their own.
        try set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
        try set(CURLOPT_TCP_KEEPALIVE, 1)
        let own = request.receiveBufferByteCount ?? configuration.receiveBufferBytes
        let bufferBytes = max(1 << 10, min(own, configuration.receiveBufferBytes))
        // What may come in a coding is seldom long, and decoding takes longer than a few more reads.
        let asksForCoding = !AcceptedCodings(request.fields).isEmpty
        try set(CURLOPT_BUFFERSIZE, asksForCoding ? min(bufferBytes, 32 << 10) : bufferBytes)
        switch request.protocolChoice {
        case .http1:
            try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        case .http2:
            try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
            // The request waits for a connection that is being made instead of making its own. Without TLS it
            // would wait for the first response, only to find that nothing is shared.
            if request.isSecure { try set(CURLOPT_PIPEWAIT, 1) }
        }
    }

    private func configureTrust(
        _ configuration: HTTPClient.Configuration,
        _ request: HTTPRequest
    ) throws(HTTPError) {
        try configureTLS(configuration.tls)
        // libcurl keeps the connections, and the TLS sessions, of requests that verify apart from those of others.
        let verifiesServer = configuration.verifiesServer && !request.acceptsInvalidCertificates
        try set(CURLOPT_SSL_VERIFYPEER, verifiesServer ? 1 : 0)
        // 2 means that the name must match; 1 is no longer accepted.
        try set(CURLOPT_SSL_VERIFYHOST, verifiesServer ? 2 : 0)
        try configureAuthorities(configuration)
        if request.asksForTrust, !request.acceptsInvalidCertificates {
            // The name is checked together with the certificates.
            try set(CURLOPT_SSL_VERIFYPEER, 1)
            try set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        if let identity = request.identity { try set(identity) }
        try configureProxyTLS()
        installHandshakeCallback()
    }

    private func configureFields(
        _ request: HTTPRequest,
        _ configuration: HTTPClient.Configuration
    ) throws(HTTPError) {
        let list = try CurlFieldList(CurlFieldList.lines(for: request))
        fieldList = list
        try check(CCurl_easy_setopt_pointer(handle, CURLOPT_HTTPHEADER, list.first))
        if let userAgent = configuration.userAgent { try set(CURLOPT_USERAGENT, userAgent) }
        // libcurl 7.88 does not tell that a coded body has ended early (``BodyDecoder`` does).
        try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    }

    private func configureMethod(_ method: String, body: (any HTTPBodySource)?) throws(HTTPError) {
        let expectsBody = ["POST", "PUT", "PATCH"].contains(method)
        // A stream brings no more at once than the default.
        if CurlLibrary.sendsPieceByPiece, body?.byteCount ?? 0 > BodyPieceSize.least {
            try set(CURLOPT_UPLOAD_BUFFERSIZE, BodyPieceSize.most)
        }
        if method == "HEAD", body == nil {
            try set(CURLOPT_NOBODY, 1)
        } else if let body, body.byteCount == nil {
            // A body of unknown length is sent in chunks, as libcurl does with an upload.
            try set(CURLOPT_UPLOAD, 1)
            try set(CURLOPT_CUSTOMREQUEST, method)
        } else if body != nil || expectsBody {
            // RFC 9110 §8.6: these methods state the length even of an empty body.
            try set(CURLOPT_POST, 1)
            let length = curl_off_t(body?.byteCount ?? 0)
            try check(CCurl_easy_setopt_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, length))
            if method != "POST" { try set(CURLOPT_CUSTOMREQUEST, method) }
        } else if method != "GET" {
            try set(CURLOPT_CUSTOMREQUEST, method)
        }
    }

    func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
        try check(CCurl_easy_setopt_long(handle, option, value))
    }

    func set(_ option: CURLoption, _ value: String) throws(HTTPError) {
        try check(setString(handle, option, value))
    }

    func check(_ code: CURLcode) throws(HTTPError) {
        guard code != CURLE_OK else { return }
        throw error(code, hasHead: false)
    }
}

/// The durations of a request's phases, each measured from the same moment.
struct CurlPhases {
    /// Up to the host's address.
    var lookup: Duration
    /// Up to the connection, without TLS.
    var connect: Duration
    /// Up to TLS; zero without it.
    var secureConnect: Duration
    /// Whether the connection existed before.
    var isReusedConnection: Bool
}

/// Sets an option without the copy that a string argument makes; outside the actor, whose closures check where they run.
private func setString(
    _ handle: UnsafeMutableRawPointer,
    _ option: CURLoption,
    _ value: String
) -> CURLcode {
    value.withCString { CCurl_easy_setopt_string(handle, option, $0) }
}
