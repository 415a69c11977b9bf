import CCurl
import FerrySystem
import Glibc

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
    LoopActor.assumeIsolated {
        // -1 cancels the timer.
        let delay = milliseconds < 0 ? nil : Duration.milliseconds(milliseconds)
        multi.takeUnretainedValue().schedule(after: delay)
    }
    return 0
}
