import CCurl
import FerrySystem

// libcurl's callbacks for one exchange. Their context is the exchange, unretained: the easy handle's object
// keeps it until its reset, after libcurl has released the handle. libcurl calls them only inside calls on
// the event loop's thread, hence `assumeIsolated`; they use their arguments only until they return.

extension CurlEasy {
    /// Makes libcurl report to an exchange, which must be kept until ``reset()``.
    func setCallbacks(context exchange: HTTPExchange) {
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        CCurl_easy_set_header_function(handle, didReceiveHeader)
        CCurl_easy_setopt_pointer(handle, CURLOPT_HEADERDATA, context)
        CCurl_easy_set_write_function(handle, didReceiveBody)
        CCurl_easy_setopt_pointer(handle, CURLOPT_WRITEDATA, context)
        CCurl_easy_set_read_function(handle, willSendBody)
        CCurl_easy_setopt_pointer(handle, CURLOPT_READDATA, context)
        CCurl_easy_set_seek_function(handle, willSendBodyFrom)
        CCurl_easy_setopt_pointer(handle, CURLOPT_SEEKDATA, context)
        CCurl_easy_set_prereq_function(handle, willSendRequest)
        CCurl_easy_setopt_pointer(handle, CURLOPT_PREREQDATA, context)
        CCurl_easy_set_resolver_start_function(handle, willResolve)
        CCurl_easy_setopt_pointer(handle, CURLOPT_RESOLVER_START_DATA, context)
        CCurl_easy_set_sockopt_function(handle, willConnect)
        CCurl_easy_setopt_pointer(handle, CURLOPT_SOCKOPTDATA, context)
    }
}

extension CurlEasy {
    /// Makes libcurl release the bytes that it holds because the transfer is paused.
    ///
    /// libcurl 7.88 does not do that for a handle that is removed while others use its connection: `multi_done` returns
    /// before that. A paused stream of HTTP/2 has as many bytes as its window, several MiB.
    func discardHeldBytes() {
        CCurl_easy_set_header_function(handle, discard)
        CCurl_easy_set_write_function(handle, discard)
        curl_easy_pause(handle, CURLPAUSE_CONT)
    }
}

private func discard(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    size * count
}

/// Runs `body` with the exchange.
///
/// - Parameters:
///   - context: The exchange, unretained.
///   - argument: What `body` needs besides.
///   - otherwise: The result if there is no exchange.
///   - body: Something that captures nothing: a closure that does is allocated for each call.
/// - Returns: What `body` returns.
private func withExchange<Argument, Result>(
    _ context: UnsafeMutableRawPointer?,
    _ argument: Argument,
    otherwise: Result,
    _ body: @escaping @LoopActor ((HTTPExchange, Argument)) -> Result
) -> Result {
    guard let context else { return otherwise }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
    return LoopActor.assumeIsolated(with: (exchange, argument), body)
}

private func didReceiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return withExchange(context, line, otherwise: CCurl_writefunc_error()) { exchange, line in
        exchange.receivedHeaderLine(line) ? line.count : CCurl_writefunc_error()
    }
}

private func didReceiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return withExchange(context, piece, otherwise: CCurl_writefunc_error()) { exchange, piece in
        switch exchange.took(piece) {
        case .taken: piece.count
        case .held: CCurl_writefunc_pause()
        case .refused: CCurl_writefunc_error()
        }
    }
}

private func willSendBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return withExchange(context, room, otherwise: Int(CURL_READFUNC_ABORT)) { exchange, room in
        exchange.readBody(into: room)
    }
}

private func willSendBodyFrom(
    _ context: UnsafeMutableRawPointer?,
    _ offset: curl_off_t,
    _ origin: Int32
) -> Int32 {
    // libcurl only seeks from the start (SEEK_SET, which is 0).
    guard origin == 0 else { return CURL_SEEKFUNC_FAIL }
    return withExchange(context, offset, otherwise: CURL_SEEKFUNC_FAIL) { exchange, offset in
        exchange.seekBody(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }
}

private func willSendRequest(
    _ context: UnsafeMutableRawPointer?,
    _ remoteAddress: UnsafeMutablePointer<CChar>?,
    _ localAddress: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32,
    _ localPort: Int32
) -> Int32 {
    let address = remoteAddress.map { String(cString: $0) } ?? ""
    return withExchange(context, address, otherwise: CURL_PREREQFUNC_OK) { exchange, address in
        exchange.connected(to: address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}

private func willResolve(
    _ resolverState: UnsafeMutableRawPointer?,
    _ reserved: UnsafeMutableRawPointer?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    withExchange(context, (), otherwise: 0) { exchange, _ in
        exchange.beganLookup()
        return 0
    }
}

private func willConnect(
    _ context: UnsafeMutableRawPointer?,
    _ socket: curl_socket_t,
    _ purpose: curlsocktype
) -> Int32 {
    withExchange(context, socket, otherwise: CURL_SOCKOPT_OK) { exchange, socket in
        exchange.began(on: socket)
        return CURL_SOCKOPT_OK
    }
}
